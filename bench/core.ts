/** The five scores as kernels, each beside a plain loop over the same data. */
import { consistencyKernel } from '../src/core/consistency.ts';
import { toConsistencyMetadata, toReliabilityMetadata } from '../src/core/contract/session-metrics.ts';
import {
  dayOf,
  edgeDays,
  type IdentityEvent,
  ReputationWindow,
  scoreConsistency,
  scoreIdentity,
  scoreIdentityFromDays,
  scoreReliability,
  type Trace,
  toDailySums,
  toSessionSignals,
} from '../src/core/index.ts';
import { reliabilityKernel } from '../src/core/reliability.ts';
import { toSignalWeights } from '../src/core/signals.ts';
import { createRandom } from '../src/core/stats/random.ts';
import { format, type Measured, measure, report } from './measure.ts';

const MILLION = 1_000_000;
const DAY_MS = 86_400_000;

export function run(): void {
  benchReputation();
  benchSessionMetrics();
  benchIdentity();
}

function benchReputation(): void {
  const random = createRandom(1);
  const passed = Uint8Array.from({ length: MILLION }, () => (random() < 0.95 ? 1 : 0));
  const latencies = Float64Array.from({ length: MILLION }, () => random() * 20);
  const window = new ReputationWindow();
  const [loop, push, pushAndRead] = measure([
    {
      name: 'plain loop: count and add',
      run() {
        let sum = 0;
        for (let i = 0; i < MILLION; i++) if (passed[i] === 1) sum += latencies[i] as number;
        return sum;
      },
    },
    {
      name: 'push',
      run() {
        for (let i = 0; i < MILLION; i++) window.push(passed[i] === 1, latencies[i] as number);
        return window.reputation().score;
      },
    },
    {
      name: 'push and read the score each time',
      run() {
        let sum = 0;
        for (let i = 0; i < MILLION; i++) {
          window.push(passed[i] === 1, latencies[i] as number);
          sum += window.reputation().score;
        }
        return sum;
      },
    },
  ]) as [Measured, Measured, Measured];
  const perSecond = ({ medianMs }: Measured) => `${format(MILLION / medianMs / 1000)} million/s`;
  report('Reputation: a million pushes onto a full window', [
    { ...loop, figure: perSecond(loop) },
    { ...push, figure: perSecond(push), aim: '≥ 5 million/s' },
    { ...pushAndRead, figure: perSecond(pushAndRead) },
  ]);
}

function benchSessionMetrics(): void {
  const random = createRandom(2);
  const traces = Array.from({ length: MILLION }, (_, i): Trace => {
    // One in ten lacks a signal, as traces do.
    const signals = { confidence: random(), loop_detection: random(), tool_correctness: random() };
    return { traceId: `trace-${i}`, signals: random() < 0.9 ? { ...signals, coherence: random() } : signals };
  });
  const session = toSessionSignals(traces);
  const weights = toSignalWeights(null);
  const { columns } = session;
  const reliability = scoreReliability(session, { weights });
  const consistency = scoreConsistency(session, { weights });
  const [loop, reliable, consistent] = measure([
    {
      name: 'plain loop: add the four columns',
      run() {
        let sum = 0;
        for (let i = 0; i < MILLION; i++) {
          sum += (columns.confidence[i] as number) + (columns.loop_detection[i] as number);
          sum += columns.tool_correctness[i] as number;
          const coherence = columns.coherence[i] as number;
          if (coherence > 0) sum += coherence;
        }
        return sum;
      },
    },
    { name: 'agent_reliability, kernel', run: () => reliabilityKernel(columns, weights).raw },
    { name: 'agent_consistency, kernel', run: () => consistencyKernel(columns, weights).rms },
  ]) as [Measured, Measured, Measured];
  const [validation, reliableData, consistentData] = measure(
    [
      {
        name: 'validation of a million objects into columns',
        run: () => toSessionSignals(traces).counts.confidence,
      },
      {
        name: 'agent_reliability, metadata of a million traces',
        run: () => toReliabilityMetadata(session, reliability).traces_evaluated,
      },
      {
        name: 'agent_consistency, metadata of a million traces',
        run: () => toConsistencyMetadata(session, consistency).traces_evaluated,
      },
    ],
    { rounds: 5, warmups: 1 },
  ) as [Measured, Measured, Measured];
  const ms = ({ medianMs }: Measured) => `${format(medianMs)} ms`;
  report('Session metrics: one session of a million traces', [
    { ...loop, figure: ms(loop) },
    { ...reliable, figure: ms(reliable), aim: '≤ 60 ms' },
    { ...consistent, figure: ms(consistent), aim: '≤ 40 ms' },
    { ...validation, figure: ms(validation) },
    { ...reliableData, figure: ms(reliableData) },
    { ...consistentData, figure: ms(consistentData) },
  ]);
}

function benchIdentity(): void {
  const random = createRandom(3);
  const now = 1_780_000_000_000;
  const categories = ['task_quality', 'economic', 'identity_hygiene'] as const;
  const events = Array.from(
    { length: MILLION },
    (): IdentityEvent => ({
      timestamp: now - Math.floor(random() * 120 * DAY_MS),
      category: categories[Math.floor(random() * 3)] ?? 'economic',
      scoreDelta: random() * 2 - 1,
    }),
  );
  const sums = toDailySums(events);
  const days = new Set(edgeDays(now));
  const edges = events.filter(({ timestamp }) => days.has(dayOf(timestamp)));
  const [loop, fromEvents, rollUp, fromDays] = measure([
    {
      name: 'plain loop: add the deltas',
      run() {
        let sum = 0;
        for (const event of events) if (event.timestamp <= now) sum += event.scoreDelta;
        return sum;
      },
    },
    { name: 'from a million events', run: () => scoreIdentity(events, now).overallScore },
    { name: 'rolling a million events up into daily sums', run: () => toDailySums(events).length },
    {
      name: `from ${sums.length} daily sums and ${edges.length} edge events`,
      run: () => scoreIdentityFromDays(sums, edges, now).overallScore,
    },
  ]) as [Measured, Measured, Measured, Measured];
  const perSecond = ({ medianMs }: Measured) => `${format(MILLION / medianMs / 1000)} million events/s`;
  report('Identity: a million events over 120 days, with both trends', [
    { ...loop, figure: perSecond(loop) },
    { ...fromEvents, figure: perSecond(fromEvents) },
    { ...rollUp, figure: perSecond(rollUp) },
    { ...fromDays, figure: `${format(fromDays.medianMs)} ms` },
  ]);
}
