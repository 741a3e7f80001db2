import { Chip } from '../../ui/parts.tsx';
import type { Run } from '../../wire.ts';

const TONES = {
  pending: 'plain',
  running: 'accent',
  completed: 'good',
  failed: 'bad',
  cancelled: 'warn',
} as const;

export function RunState({ run: { state, progress } }: { run: Run }) {
  const done = progress.evaluated + progress.unchanged + progress.failed;
  return (
    <span class="run-state">
      <Chip tone={TONES[state]}>{state}</Chip>
      {state === 'running' && <progress aria-label="Progress" max={progress.selected ?? 1} value={done} />}
    </span>
  );
}
