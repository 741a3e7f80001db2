import { Chip } from './parts.tsx';

/** From how many evaluations on a score is a number for outsiders, and here too. */
const SHOWN_FROM = 50;

export interface Standing {
  score: number;
  lifecycle: string;
  lifetime_evaluations: number;
  score_low: number;
  score_high: number;
}

export function isShown({ lifetime_evaluations }: Pick<Standing, 'lifetime_evaluations'>): boolean {
  return lifetime_evaluations >= SHOWN_FROM;
}

/** The score with its band on the whole scale; below 50 evaluations how far the agent is, and no number. */
export function ScoreCell(standing: Standing) {
  const { score, score_low, score_high, lifetime_evaluations } = standing;
  if (!isShown(standing)) {
    return (
      <span class="score-cell calibrating">
        <b>
          {lifetime_evaluations}/{SHOWN_FROM}
        </b>
        <progress
          max={SHOWN_FROM}
          value={lifetime_evaluations}
          aria-label="Evaluations until the score shows"
        />
      </span>
    );
  }
  return (
    <span class="score-cell" title={`95 % band ${score_low}–${score_high}`}>
      <b>{score}</b>
      <Band low={score_low} high={score_high} at={score} />
    </span>
  );
}

/** A stretch of the scale from 0 to 1000, and the score in it. */
export function Band({ low, high, at }: { low: number; high: number; at: number }) {
  return (
    <svg
      class="band"
      viewBox="0 0 1000 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={`95 % band from ${low} to ${high}`}
    >
      <path class="range" d={`M${low} 4H${Math.max(high, low + 1)}`} />
      <path class="at" d={`M${at} 0V8`} />
    </svg>
  );
}

const TONES = { new: 'plain', calibrating: 'warn', active: 'accent', mature: 'good' } as const;

export function Lifecycle({ lifecycle }: { lifecycle: string }) {
  return <Chip tone={TONES[lifecycle as keyof typeof TONES] ?? 'plain'}>{lifecycle}</Chip>;
}
