/**
 * The text of an output and what stands in it, made once for all gates of one evaluation. Only contexts that an engine
 * has announced are remembered: the engine owns those, so that nobody changes them between one gate and the next.
 */
import type { GateContext } from './gate.ts';
import { type Sightings, sight } from './sightings.ts';
import { walkText } from './walk-text.ts';

const shared = new WeakMap<GateContext, { sightings?: Sightings }>();

/** Promises that the context stays as it is while gates look at it. */
export function shareText(context: GateContext): void {
  shared.set(context, {});
}

/** How much text the gates of this evaluation have walked so far. */
export function walkedLength(context: GateContext): number {
  return shared.get(context)?.sightings?.text.length ?? 0;
}

export function sightingsOf(context: GateContext): Sightings {
  const memory = shared.get(context);
  if (!memory) return look(context);
  memory.sightings ??= look(context);
  return memory.sightings;
}

function look({ output }: GateContext): Sightings {
  const { text, isCut } = walkText(output);
  return sight(text, isCut);
}
