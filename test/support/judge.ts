import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Gate, GateFinding } from '../../src/gates/gate.ts';

/** One output before one synchronous gate. */
export function judge(gate: Gate, output: unknown): GateFinding {
  return gate.run({ agent_id: 'a', output }, new AbortController().signal) as GateFinding;
}

/**
 * What every scanning gate must do: fail each of these and pass each of those, quote nothing of the payload, and throw on
 * no value whatever.
 */
export function itJudges(gate: Gate, mustFail: readonly unknown[], mustPass: readonly unknown[]): void {
  it('has at least 30 cases on either side', () => {
    expect(mustFail.length).toBeGreaterThanOrEqual(30);
    expect(mustPass.length).toBeGreaterThanOrEqual(30);
  });

  it.each(mustFail.map((output) => [output]))('fails %j', (output) => {
    const { passed, reason } = judge(gate, output);
    expect(passed).toBe(false);
    expect(reason).toMatch(/^[A-Z][^"`]{5,100}\.$/);
  });

  it.each(mustPass.map((output) => [output]))('passes %j', (output) => {
    expect(judge(gate, output)).toEqual({ passed: true });
  });

  it('finds them inside longer texts and nested values too', () => {
    const filler = 'Lorem ipsum dolor sit amet.\n'.repeat(200);
    const missed = mustFail.filter((output) => {
      // What is nothing in itself is something as soon as there is more.
      if (isBlank(output)) return false;
      const nested =
        typeof output === 'string' ? `${filler}${output}\n${filler}` : { a: [filler, output, filler] };
      return judge(gate, nested).passed;
    });
    expect(missed).toEqual([]);
  });

  it('throws on nothing', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...[...mustFail, ...mustPass].filter((output) => typeof output === 'string')),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.array(anyText).map((texts) => texts.join('')),
        ),
        (output) => {
          expect(typeof judge(gate, output).passed).toBe('boolean');
        },
      ),
      { numRuns: 300 },
    );
  });
}

function isBlank(output: unknown): boolean {
  return typeof output === 'string' ? output.trim() === '' : Object.keys(output ?? {}).length === 0;
}
