import type { Tokens } from './session-event.ts';

/** Token counts as a source gives them; absent where it does not tell. */
interface TokenCounts {
  input?: number | undefined;
  output?: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** From a source whose input leaves the cache out, as Anthropic counts. Undefined when it tells nothing. */
export function toTokens({ input, output, cacheRead, cacheWrite }: TokenCounts): Tokens | undefined {
  if (input === undefined && output === undefined && cacheRead === undefined) return undefined;
  return {
    input: atLeast0(input),
    output: atLeast0(output),
    cacheRead: cacheRead === undefined ? null : atLeast0(cacheRead),
    cacheWrite: cacheWrite === undefined ? null : atLeast0(cacheWrite),
  };
}

/** From a source whose input contains what was read from and written to the cache, as OpenAI and Google count. */
export function toTokensFromTotalInput(counts: TokenCounts): Tokens | undefined {
  const tokens = toTokens(counts);
  if (!tokens) return undefined;
  const cached = (tokens.cacheRead ?? 0) + (tokens.cacheWrite ?? 0);
  return { ...tokens, input: Math.max(0, tokens.input - cached) };
}

function atLeast0(count: number | undefined): number {
  return count !== undefined && count > 0 ? count : 0;
}
