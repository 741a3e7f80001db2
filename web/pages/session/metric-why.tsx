import { Why } from '../../ui/parts.tsx';
import type { SessionScores } from '../../wire.ts';

export type Score = SessionScores['scores'][number];

interface ReliabilityParts {
  aggregation: { mean_top_k_risk: number; max_risk: number };
  raw_risk: number;
}

interface ConsistencyParts {
  raw_instability: number;
}

/** How one score came about, with its own numbers in the formula. */
export function MetricWhy({ score }: { score: Score }) {
  const weights = Object.entries(score.signal_weights)
    .map(([name, weight]) => `${name} ${weight}`)
    .join(', ');
  return (
    <Why about={`Why ${score.score.toFixed(4)}`}>
      {score.metric === 'agent_reliability' ? <Reliability score={score} /> : <Consistency score={score} />}
      <p>Weights: {weights}.</p>
      <p>
        It {score.passed ? 'passes' : 'fails'} because {score.score.toFixed(4)} is{' '}
        {score.passed ? 'at least' : 'below'} the threshold of {score.threshold}.
      </p>
    </Why>
  );
}

function Reliability({ score }: { score: Score }) {
  const parts = score.metadata as unknown as ReliabilityParts | null | undefined;
  return (
    <>
      <p>
        The risk of a turn is its worst weighted signal. Of all turns the worst 15 % count, at least one:{' '}
        {Math.max(1, Math.ceil(0.15 * score.traces_evaluated))} here.
      </p>
      {parts && (
        <p class="formula">
          {`risk  = 0.9 · ${parts.aggregation.mean_top_k_risk.toFixed(4)} + 0.1 · ${parts.aggregation.max_risk.toFixed(4)}
      = ${parts.raw_risk.toFixed(4)}
score = 1 − risk = ${score.score.toFixed(4)}`}
        </p>
      )}
    </>
  );
}

function Consistency({ score }: { score: Score }) {
  const parts = score.metadata as unknown as ConsistencyParts | null | undefined;
  return (
    <>
      <p>
        How unsure the agent was in each turn, made worse by the other signals of the turn; of all turns the
        root mean square.
      </p>
      {parts && (
        <p class="formula">
          {`rms   = sqrt(Σ weighted_uncertainty² / ${score.traces_evaluated})
      = ${parts.raw_instability.toFixed(4)}
score = 1 − rms = ${score.score.toFixed(4)}`}
        </p>
      )}
    </>
  );
}
