/**
 * What may come into a table of sessions, from whichever door: ids that a path can name, and numbers that a score can read
 * and that can be added up by the million without leaving the range of numbers. One odd record would otherwise spoil its
 * session for good.
 */
import { agentIdFault } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import type { SessionEvent } from './session-event.ts';

/** An owner nobody can be is nobody, and a name too long for one is cut; anything else that is wrong makes an event unusable. */
export function isSound(event: SessionEvent): boolean {
  if (!isName(event.sessionId) || (event.masque !== '' && !isName(event.masque))) return false;
  if (event.entrypoint !== '' && !isName(event.entrypoint)) event.entrypoint = '';
  if (event.agent.name !== '' && !isName(event.agent.name)) event.agent = { name: '', rank: 0 };
  if (event.name !== undefined && !isName(event.name)) event.name = cut(event.name);
  const { tokens } = event;
  return (
    isWithin(event.since, LIMITS.epochMsMax) &&
    hasSoundNumbers({
      at: event.at,
      amount: event.amount,
      cost: event.costUsd,
      tokens: tokens && [tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite],
    })
  );
}

/** The numbers of an event, some of which may not be known. */
interface Numbers {
  at: number;
  amount: number | null | undefined;
  cost: number | null | undefined;
  tokens: readonly (number | null)[] | null | undefined;
}

export function hasSoundNumbers({ at, amount, cost, tokens }: Numbers): boolean {
  return (
    isWithin(at, LIMITS.epochMsMax) &&
    isWithin(amount ?? 0, LIMITS.eventAmountMax) &&
    isWithin(cost ?? 0, LIMITS.eventCostUsdMax) &&
    (!tokens || tokens.every((count) => isWithin(count ?? 0, LIMITS.eventTokensMax)))
  );
}

function isWithin(value: number, max: number): boolean {
  return value >= 0 && value <= max;
}

/** Nearly all are plain; one look tells, and spares the closer one. */
function isName(text: string): boolean {
  if (text.length > LIMITS.nameLengthMax) return false;
  return PLAIN.test(text) || agentIdFault(text) === undefined;
}

const PLAIN = /^[\x20-\x7e]+$/;

/** The name of a tool is shown in many places, none of which is made for a page of text. */
function cut(name: string): string {
  return name
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, LIMITS.nameLengthMax)
    .toWellFormed();
}
