import { type Gate, type GateFinding, PASSED } from './gate.ts';
import { toFinding } from './offence.ts';
import { sightingsOf } from './text.ts';
import { before, compileRules, type WordRule } from './word-rules.ts';

export interface ContentOptions {
  /** Also fail on refusals ("I'm sorry, but I can't help with that"). */
  refusals?: boolean;
  /** Also fail on disclaimers ("As an AI language model"). */
  disclaimers?: boolean;
}

/**
 * Fails on output that says nothing: null, blank text, an empty list or object. `0` and `false` say something.
 * Refusals and disclaimers are looked for when asked for: a right refusal is no failure of character.
 */
export function content({ refusals = false, disclaimers = false }: ContentOptions = {}): Gate {
  const find =
    refusals || disclaimers
      ? compileRules({ ...(refusals && REFUSALS), ...(disclaimers && DISCLAIMERS) })
      : undefined;
  return {
    name: 'content',
    run(context) {
      if (isEmpty(context.output)) return EMPTY;
      if (!find) return PASSED;
      const sightings = sightingsOf(context);
      return toFinding(find(sightings), sightings);
    },
  };
}

const EMPTY: GateFinding = { passed: false, reason: 'The output is empty.' };
const REFUSAL = 'The output refuses the task.';
const DISCLAIMER = 'The output speaks of itself as a language model.';

/** Plain, typographic and modifier apostrophes. */
const APOSTROPHE = "['\\u2019\\u02bc\\u2018\\u0060\\u00b4]";
const I_BEFORE = new RegExp(
  `(?:^|[^\\w'])I(?:${APOSTROPHE}m| am| was|,)?(?: (?:very|so|truly|deeply|afraid I|really|just))? ?$`,
);
/** What a model says it will not do, behind the words that refuse. */
const DEED =
  '(?:help|assist|do|provide|fulfill?|comply|complete|continue|generate|create|write|answer|share|discuss|engage|support|process|produce|offer|give|carry|participate|perform|execute|be able)';
const AFTER_CANNOT = new RegExp(
  `^(?: (?:not|directly|in good conscience|currently|really))?,? (?:to )?${DEED}\\b`,
);
const AFTER_CAN = new RegExp(
  `^(?:${APOSTROPHE}t|(?: |)not)(?: (?:in good conscience|currently|really))? (?:to )?${DEED}\\b`,
);
const AFTER_SORRY = new RegExp(
  `^(?:[,.!]| for)?.{0,40}?\\b(?:but |however,? )?I(?: am|${APOSTROPHE}m)? ?(?:can(?:not| not|${APOSTROPHE}t)|won${APOSTROPHE}t|unable|not able|must decline)`,
);

const afterI =
  (rest: RegExp): WordRule =>
  ({ text, start, end }) =>
    text.charCodeAt(start - 1) === 32 &&
    rest.test(text.slice(end, end + 64)) &&
    I_BEFORE.test(before(text, start, 24))
      ? REFUSAL
      : undefined;

const sorry: WordRule = (place) => {
  const { text, end } = place;
  place.cover(end + 48);
  return AFTER_SORRY.test(text.slice(end, end + 96)) ? REFUSAL : undefined;
};

const REFUSALS: Record<string, WordRule> = {
  'sorry apologize apologise apologies': sorry,
  'cannot unable decline': afterI(AFTER_CANNOT),
  'can won': afterI(AFTER_CAN),
  able: ({ text, start, end }) =>
    /\bI(?:['\u2019]m| am) not $/.test(before(text, start, 12)) &&
    AFTER_CANNOT.test(text.slice(end, end + 48))
      ? REFUSAL
      : undefined,
  must: ({ text, start, end }) =>
    /^ (?:respectfully )?(?:decline|refuse)\b/.test(text.slice(end, end + 32)) &&
    /(?:^|\W)I $/.test(before(text, start, 3))
      ? REFUSAL
      : undefined,
  comply: ({ text, start }) =>
    /\bI (?:will not|won['\u2019]t|refuse to) $/.test(before(text, start, 16)) ? REFUSAL : undefined,
};

const DISCLAIMERS: Record<string, WordRule> = {
  ai: ({ text, start, end }) =>
    /\b(?:as|I(?:['\u2019]m| am)(?: just| only)?) an $/i.test(before(text, start, 16)) &&
    /^(?:$|[,.;:]| (?:language|assistant|model|system|and|so|trained|developed|created|without|I\b))/.test(
      text.slice(end, end + 16),
    )
      ? DISCLAIMER
      : undefined,
  language: ({ text, start, end }) =>
    /\b(?:as|I(?:['\u2019]m| am)(?: just| only)?) a (?:large )?$/i.test(before(text, start, 24)) &&
    /^ model\b/.test(text.slice(end, end + 8))
      ? DISCLAIMER
      : undefined,
  cutoff: ({ text, start, end }) =>
    /\bmy (?:knowledge|training)(?: data)? $/i.test(before(text, start, 28)) &&
    /^(?: date)?(?:[,. ]|$)/.test(text.slice(end, end + 8))
      ? DISCLAIMER
      : undefined,
  professional: ({ text, start, end }) =>
    /\b(?:not a substitute for|please consult (?:with )?a(?: qualified| licensed)?) $/i.test(
      before(text, start, 48),
    ) &&
    /^(?: (?:medical|legal|financial|tax))*(?: advice|,|\.| before| for|$)/.test(text.slice(end, end + 32))
      ? 'The output closes with a disclaimer.'
      : undefined,
};

function isEmpty(output: unknown): boolean {
  try {
    return saysNothing(output);
  } catch {
    // A proxy that throws when it is looked at is strange, and not empty.
    return false;
  }
}

function saysNothing(output: unknown): boolean {
  if (output === null || output === undefined) return true;
  if (typeof output === 'string') return !/\S/.test(output);
  if (Array.isArray(output)) return output.length === 0;
  if (output instanceof Map || output instanceof Set) return output.size === 0;
  if (typeof output !== 'object') return false;
  const plain = Object.getPrototypeOf(output) === Object.prototype || Object.getPrototypeOf(output) === null;
  return plain && Object.keys(output).length === 0;
}
