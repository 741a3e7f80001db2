import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { Issues } from '../core/issues.ts';
import type { Gate } from './gate.ts';
import { foundNothing } from './offence.ts';
import { sightingsOf } from './text.ts';

export interface PatternOptions {
  /** Fails when one of these occurs. */
  deny?: readonly string[];
  /** Fails unless one of these occurs. */
  allow?: readonly string[];
  /** To tell several gates of this kind apart. */
  name?: string;
}

/** The user's own patterns, in the RE2 subset, over the text of the output. */
export async function pattern({ deny = [], allow = [], name = 'pattern' }: PatternOptions): Promise<Gate> {
  const issues = new Issues();
  const count = deny.length + allow.length;
  if (count < 1 || count > CLIENT_LIMITS.patternsMax)
    issues.add(
      'deny',
      `and allow must hold 1 to ${CLIENT_LIMITS.patternsMax} patterns together, not ${count}`,
    );
  // The empty pattern occurs in every text.
  for (const [i, source] of deny.entries()) if (source === '') issues.add(`deny[${i}]`, 'must not be empty');
  for (const [i, source] of allow.entries())
    if (source === '') issues.add(`allow[${i}]`, 'must not be empty');
  issues.throwIfAny();
  // Loaded by those who use one.
  const { compilePattern } = await import('./linear-pattern.ts');
  const denied = await Promise.all(deny.map((source, i) => compilePattern(source, `deny[${i}]`)));
  const allowed = await Promise.all(allow.map((source, i) => compilePattern(source, `allow[${i}]`)));
  return {
    name,
    run(context) {
      const sightings = sightingsOf(context);
      const { text } = sightings;
      const found = denied.findIndex((one) => one.test(text));
      if (found !== -1) return { passed: false, reason: `Denied pattern ${found + 1} occurs.` };
      if (allowed.length > 0 && !allowed.some((one) => one.test(text)))
        return { passed: false, reason: 'None of the allowed patterns occurs.' };
      return foundNothing(sightings);
    },
  };
}
