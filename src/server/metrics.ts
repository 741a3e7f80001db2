/** What the server has done, in the text format of Prometheus. Counts and times alone: no org, agent or key is named. */
const BUCKETS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000];

interface Series {
  count: number;
  sumMs: number;
  buckets: number[];
}

type Outcome = 'taken' | 'rejected' | 'unknown';

export class Metrics {
  /** By route, then by status. */
  readonly #requests = new Map<string, Map<number, Series>>();
  streamsOpen = 0;
  /** By signal, then by what became of them. */
  readonly #telemetry = new Map<string, Record<Outcome, number>>();
  /** What a forwarder counts, where there is one. */
  forwarded: { readonly sent: number; readonly dropped: number } | null = null;
  /** What a judge of signals counts, where there is one. */
  judge: { readonly answered: number; readonly faults: Readonly<Record<string, number>> } | null = null;

  observe(route: string, status: number, ms: number): void {
    const series = this.#seriesOf(route, status);
    series.count++;
    series.sumMs += ms;
    const bucket = BUCKETS_MS.findIndex((limit) => ms <= limit);
    if (bucket !== -1) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  countTelemetry(
    signal: string,
    { records, rejected, unknown }: Record<'records' | 'rejected' | 'unknown', number>,
  ) {
    const counts = this.#telemetry.get(signal) ?? { taken: 0, rejected: 0, unknown: 0 };
    this.#telemetry.set(signal, counts);
    counts.taken += records - rejected - unknown;
    counts.rejected += rejected;
    counts.unknown += unknown;
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
    lines.push(...this.#telemetryLines(), ...this.#judgeLines());
    lines.push(
      ...single('renown_streams_open', 'gauge', 'Streams that are being followed.', this.streamsOpen),
      ...single('process_resident_memory_bytes', 'gauge', 'Resident memory.', process.rssBytes),
      ...single('renown_uptime_seconds', 'gauge', 'Seconds since the start.', process.uptimeS),
    );
    return `${lines.join('\n')}\n`;
  }

  #judgeLines(): string[] {
    if (!this.judge) return [];
    const { answered, faults } = this.judge;
    const name = 'renown_judge_faults_total';
    return [
      ...single('renown_judge_answers_total', 'counter', 'Turns that the judge of signals judged.', answered),
      `# HELP ${name} Turns that the judge of signals did not judge, by why.`,
      `# TYPE ${name} counter`,
      ...Object.entries(faults).map(([kind, count]) => `${name}{kind="${kind}"} ${count}`),
    ];
  }

  #telemetryLines(): string[] {
    const name = 'renown_telemetry_records_total';
    const lines = [
      `# HELP ${name} Records that the OTLP receiver was sent, by what became of them.`,
      `# TYPE ${name} counter`,
    ];
    for (const [signal, counts] of this.#telemetry) {
      for (const [outcome, count] of Object.entries(counts))
        lines.push(`${name}{signal="${signal}",outcome="${outcome}"} ${count}`);
    }
    if (!this.forwarded) return lines;
    const { sent, dropped } = this.forwarded;
    return [
      ...lines,
      ...single('renown_forwarded_requests_total', 'counter', 'Requests that were passed on.', sent),
      ...single('renown_forward_drops_total', 'counter', 'Requests that could not be passed on.', dropped),
    ];
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
