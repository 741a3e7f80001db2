/**
 * Going in circles: the share of a turn's steps that repeat an earlier one. A step is a tool call or something said. A call
 * repeats when the same tool was called with the same arguments before and gave nearly the same (reading a file again
 * after it was changed does not), or when the same tool gives nearly the same long output whatever it is asked. Cycles are
 * repeats as well: from the second round on, each of their calls was made before. A call of which neither arguments nor
 * output are known is no step: nobody can tell whether it was made before.
 */
import type { Extractor, ToolCall } from './turn.ts';
import { likeness, shinglesOf, wordsOf } from './words.ts';

const ALIKE_FROM = 0.9;
/** Below this many words, texts are nearly the same by chance, and count as the same only where they are equal. */
const WORDS_MIN = 12;
/** How many earlier steps a step is compared with; a loop is shorter. */
const LOOK_BACK = 50;

interface Step {
  name: string;
  input: string | null;
  output: string | null;
  shingles: ReadonlySet<string> | null;
}

export const loopDetection: Extractor = {
  version: 2,
  unit: 'steps',
  measure({ calls, answers }) {
    const called = calls.filter(({ input, output }) => input !== null || output !== null);
    const steps = called.length + answers.length;
    if (steps < 2) return null;
    const repeats = countRepeats(called.map(toStep)) + countRepeats(answers.map(toSaid));
    return { value: 1 - repeats / steps, from: steps };
  },
};

function countRepeats(steps: readonly Step[]): number {
  return steps.filter((step, i) =>
    steps.slice(Math.max(0, i - LOOK_BACK), i).some((earlier) => isRepeat(step, earlier)),
  ).length;
}

function isRepeat(step: Step, earlier: Step): boolean {
  if (step.name !== earlier.name) return false;
  const isAlike =
    step.shingles && earlier.shingles && likeness(step.shingles, earlier.shingles) >= ALIKE_FROM;
  if (isAlike) return true;
  // The same short output proves nothing while the arguments differ: every edit says "ok".
  if (step.input !== earlier.input) return false;
  return step.output === null || earlier.output === null || step.output === earlier.output;
}

function toStep({ name, input, output }: ToolCall): Step {
  return {
    name,
    input,
    output: output?.trim() ?? null,
    shingles: output === null ? null : longShingles(output),
  };
}

function toSaid(text: string): Step {
  return { name: '', input: null, output: text.trim(), shingles: longShingles(text) };
}

function longShingles(text: string): ReadonlySet<string> | null {
  const words = wordsOf(text);
  return words.length < WORDS_MIN ? null : shinglesOf(words);
}
