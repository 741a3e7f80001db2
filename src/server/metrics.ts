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
  streamsOpen = 0;

  observe(route: string, status: number, ms: number): void {
    const series = this.#seriesOf(route, status);
    series.count++;
    series.sumMs += ms;
    const bucket = BUCKETS_MS.findIndex((limit) => ms <= limit);
    if (bucket !== -1) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  #seriesOf(route: string, status: number): Series {
    const statuses = this.#requests.get(route) ?? new Map<number, Series>();
    if (statuses.size === 0) this.#requests.set(route, statuses);
    const series = statuses.get(status) ?? { count: 0, sumMs: 0, buckets: BUCKETS_MS.map(() => 0) };
    if (series.count === 0) statuses.set(status, series);
    return series;
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
