/** What the server has done, in the text format of Prometheus. Counts and times alone: no org, agent or key is named. */
const BUCKETS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000];

interface Series {
  count: number;
  sumMs: number;
  buckets: number[];
}

export class Metrics {
  /** By route, then by status. */
  readonly #requests = new Map<string, Map<number, Series>>();
  evaluationsAccepted = 0;
  streamsOpen = 0;

  observe(route: string, status: number, ms: number): void {
    let statuses = this.#requests.get(route);
    if (!statuses) this.#requests.set(route, (statuses = new Map()));
    let series = statuses.get(status);
    if (!series) statuses.set(status, (series = { count: 0, sumMs: 0, buckets: BUCKETS_MS.map(() => 0) }));
    series.count++;
    series.sumMs += ms;
    const bucket = BUCKETS_MS.findIndex((limit) => ms <= limit);
    if (bucket !== -1) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  render(process: { rssBytes: number; uptimeS: number }): string {
    const lines = [
      '# HELP renown_request_duration_seconds How long requests took, by route and status.',
      '# TYPE renown_request_duration_seconds histogram',
    ];
    for (const [route, statuses] of this.#requests) {
      for (const [status, series] of statuses)
        lines.push(...histogram(`route="${route}",status="${status}"`, series));
    }
    lines.push(
      ...single(
        'renown_evaluations_accepted_total',
        'counter',
        'Evaluations taken into the ledger.',
        this.evaluationsAccepted,
      ),
      ...single('renown_streams_open', 'gauge', 'Streams that are being followed.', this.streamsOpen),
      ...single('process_resident_memory_bytes', 'gauge', 'Resident memory.', process.rssBytes),
      ...single('renown_uptime_seconds', 'gauge', 'Seconds since the start.', process.uptimeS),
    );
    return `${lines.join('\n')}\n`;
  }
}

function histogram(labels: string, { count, sumMs, buckets }: Series): string[] {
  const name = 'renown_request_duration_seconds';
  let below = 0;
  return [
    ...BUCKETS_MS.map((limit, i) => {
      below += buckets[i] ?? 0;
      return `${name}_bucket{${labels},le="${limit / 1000}"} ${below}`;
    }),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sumMs / 1000}`,
    `${name}_count{${labels}} ${count}`,
  ];
}

function single(name: string, type: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`];
}
