/**
 * The text of an output, walked once for all gates of one evaluation. Only contexts that an engine has announced are
 * remembered: the engine owns those, so that nobody changes them between one gate and the next.
 */
import type { GateContext } from './gate.ts';
import { walkText } from './walk-text.ts';

const shared = new WeakMap<GateContext, { text?: string }>();

/** Promises that the context stays as it is while gates look at it. */
export function shareText(context: GateContext): void {
  shared.set(context, {});
}

export function textOf(context: GateContext): string {
  const memory = shared.get(context);
  if (!memory) return walkText(context.output);
  memory.text ??= walkText(context.output);
  return memory.text;
}
