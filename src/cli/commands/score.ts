import { scoreConsistency } from '../../core/consistency.ts';
import { identityInput, toIdentityEvents, toIdentityWire } from '../../core/contract/identity.ts';
import { parseWith } from '../../core/contract/parse.ts';
import { performanceInput, toCounters, toPerformanceWire } from '../../core/contract/performance.ts';
import {
  reputationInput,
  toEvaluations,
  toExplanationWire,
  toReputationWire,
} from '../../core/contract/reputation.ts';
import {
  sessionMetricInput,
  toConsistencyMetadata,
  toReliabilityMetadata,
  toSessionScoreWire,
  toTraces,
  toWeightOverrides,
} from '../../core/contract/session-metrics.ts';
import { RenownError } from '../../core/errors.ts';
import { scoreIdentity } from '../../core/identity.ts';
import { LIMITS } from '../../core/limits.ts';
import { scorePerformance } from '../../core/performance.ts';
import { quadrantOf } from '../../core/quadrant.ts';
import { scoreReliability } from '../../core/reliability.ts';
import { explainReputation } from '../../core/reputation-explain.ts';
import { ReputationWindow } from '../../core/reputation-window.ts';
import { toSessionSignals } from '../../core/signals.ts';
import { type Command, usageError } from '../command.ts';
import type { JsonInput } from '../parse-json-input.ts';
import { readJsonInput } from '../read-json-input.ts';
import { writeLine } from '../write-line.ts';

/** Each score from its JSON input to its JSON result: the figures first, what they are made of beside them. */
const SCORES: Record<string, (input: unknown) => object> = {
  reputation(input) {
    const window = ReputationWindow.from(toEvaluations(parseWith(reputationInput, input)));
    return {
      ...toReputationWire(window.reputation()),
      explain: toExplanationWire(explainReputation(window)),
    };
  },
  agent_reliability(input) {
    const { session, reliability, quadrant } = scoreSession(input);
    const metadata = toReliabilityMetadata(session, reliability);
    const { aggregation, signal_weights: _, ...figures } = metadata;
    const { mean_top_k_risk, max_risk } = aggregation;
    return { ...toSessionScoreWire(reliability), quadrant, ...figures, mean_top_k_risk, max_risk, metadata };
  },
  agent_consistency(input) {
    const { session, consistency, quadrant } = scoreSession(input);
    const metadata = toConsistencyMetadata(session, consistency);
    const { aggregation: _a, signal_weights: _w, ...figures } = metadata;
    return { ...toSessionScoreWire(consistency), quadrant, ...figures, metadata };
  },
  performance(input) {
    return toPerformanceWire(scorePerformance(toCounters(parseWith(performanceInput, input))));
  },
  identity(input) {
    const request = parseWith(identityInput, input);
    const now = request.now ?? Date.now();
    return { ...toIdentityWire(scoreIdentity(toIdentityEvents(request), now)), now };
  },
};

const METRICS = Object.keys(SCORES).join(', ');

export const score: Command = {
  usage: 'score <metric> [file]',
  arguments: [
    { name: '<metric>', summary: `One of ${METRICS}` },
    { name: '[file]', summary: 'A JSON or JSON Lines file; standard input when absent or -' },
  ],
  options: [],
  examples: [
    {
      says: 'an agent from its verdicts, oldest first',
      line: `echo '{"evaluations":[{"passed":true,"latency_ms":3}]}' | renown score reputation`,
    },
    {
      says: 'a session from what its traces signalled',
      line: `echo '{"traces":[{"trace_id":"t1","signals":{"confidence":0.9}}]}' | renown score agent_reliability`,
    },
    {
      says: 'many at once: a list gives a list, JSON Lines give JSON Lines',
      line: 'renown score performance sessions.jsonl',
    },
  ],
  async run({ positionals: [metric, file = '-'], options }, io) {
    if (metric === undefined) throw usageError(`Say which score: ${METRICS}`, 'score');
    const compute = Object.hasOwn(SCORES, metric) ? SCORES[metric] : undefined;
    if (!compute) throw usageError(`There is no score "${metric}"; there are ${METRICS}`, 'score');
    if (file === '-' && io.stdin.isTTY) {
      throw usageError('Name a file, or pipe the input in: nothing is coming from standard input', 'score');
    }
    const input = await readJsonInput(file, { io, bytesMax: LIMITS.scoreInputBytesMax });
    const indent = io.stdout.isTTY && !options.json ? 2 : undefined;
    if (input.kind === 'lines') {
      // Each answer goes out as soon as it is there: a million of them need not fit into memory.
      for (const [i] of input.documents.entries())
        await writeLine(io.stdout, JSON.stringify(scoreAt(input, i, compute)));
      return;
    }
    const results = input.documents.map((_, i) => scoreAt(input, i, compute));
    await writeLine(io.stdout, JSON.stringify(input.kind === 'one' ? results[0] : results, null, indent));
  },
};

function scoreSession(input: unknown) {
  const request = parseWith(sessionMetricInput, input);
  const session = toSessionSignals(toTraces(request));
  const options = {
    weights: toWeightOverrides(request),
    threshold: request.threshold ?? undefined,
  };
  const reliability = scoreReliability(session, options);
  const consistency = scoreConsistency(session, options);
  return { session, reliability, consistency, quadrant: quadrantOf(reliability, consistency) };
}

/** One score of several: an error says which one it was. */
function scoreAt({ documents, labels }: JsonInput, i: number, compute: (input: unknown) => object): object {
  try {
    return compute(documents[i]);
  } catch (error) {
    const label = labels[i];
    if (!label || !(error instanceof RenownError)) throw error;
    const inList = label.startsWith('[');
    const details = error.details?.map(({ path, message }) => ({
      path: inList ? `${label}.${path}` : path,
      message,
    }));
    throw new RenownError(error.code, `${label}: ${error.message}`, {
      ...(details && { details }),
      cause: error,
    });
  }
}
