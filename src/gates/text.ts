/**
 * The text of an output and what stands in it, made once for all gates of one evaluation. Only contexts that an engine
 * has announced are remembered: the engine owns those, so that nobody changes them between one gate and the next.
 */
import type { GateContext } from './gate.ts';
import { type Sightings, sight } from './sightings.ts';
import { type WalkBounds, walkText } from './walk-text.ts';

const shared = new WeakMap<GateContext, { sightings?: Sightings; bounds: WalkBounds | undefined }>();

/** Promises that the context stays as it is while gates look at it, and says how far they look. */
export function shareText(context: GateContext, bounds: WalkBounds | undefined): void {
  shared.set(context, { bounds });
}

/** How much text the gates of this evaluation have walked so far. */
export function walkedLength(context: GateContext): number {
  return shared.get(context)?.sightings?.text.length ?? 0;
}

export function sightingsOf(context: GateContext): Sightings {
  const memory = shared.get(context);
  if (!memory) return look(context);
  memory.sightings ??= look(context, memory.bounds);
  return memory.sightings;
}

function look({ output }: GateContext, bounds?: WalkBounds): Sightings {
  const { text, isCut } = walkText(output, bounds);
  return sight(text, isCut);
}
