import { describe, expect, it } from 'vitest';
import { itJudges, judge } from '../../test/support/judge.ts';
import { content } from './content.ts';

const EMPTY = [null, undefined, '', ' \n\t\u00a0', [], {}, new Map(), new Set(), Object.create(null)];

const REFUSALS = [
  "I'm sorry, but I can't help with that.",
  'I’m sorry, but I can’t assist with that request.',
  'I am sorry, I cannot do that.',
  'Sorry, I can’t provide that.',
  'I apologize, but I am unable to help.',
  'My apologies, but I cannot share this.',
  "I can't help with that.",
  'I can’t assist you with this.',
  'I cannot fulfill this request.',
  'I cannot provide instructions for that.',
  'I can not help with that.',
  "I won't help you with this.",
  'I won’t be able to assist.',
  'I am unable to assist with that.',
  "I'm unable to provide that information.",
  'I’m not able to help with that.',
  'I am not able to provide this.',
  'I must decline this request.',
  'I must respectfully decline.',
  'I will not comply with this.',
  'Unfortunately, I cannot continue this conversation.',
  { answer: "I'm sorry, but I can't help with that." },
];

const DISCLAIMERS = [
  'As an AI language model, I have no opinions.',
  'As an AI, I have no feelings.',
  "I'm just an AI assistant.",
  'I am an AI developed to help.',
  'As a large language model, I do not know.',
  'I’m a language model.',
  'My knowledge cutoff is 2023.',
  'Since my training data cutoff, things changed.',
  'This is not a substitute for professional medical advice.',
  'Please consult a qualified professional before acting.',
];

const MUST_PASS = [
  '0',
  0,
  false,
  Number.NaN,
  [null],
  { a: undefined },
  new Date(0),
  'I can help with that.',
  'I can do this for you.',
  'Sorry for the delay! Here is the report.',
  'He said he was sorry that he could not come.',
  'Users cannot provide more than one address.',
  'The server cannot help being slow.',
  'You cannot assist two people at once.',
  'If the disk is full, the program is unable to write.',
  'We won the match and can celebrate.',
  'They must decline the offer by Friday.',
  'Vendors must comply with the rules.',
  'An AI language model predicts the next token.',
  'The paper describes an AI, and how it was trained.',
  'English is a language; a model of it is a language model.',
  'The cutoff date for entries is Friday.',
  'She is a professional cyclist.',
  'Ask a professional photographer.',
  "Can't stop, won't stop.",
  'It can’t be denied that this works.',
  'def cannot(x): return not x',
  'I unlocked the door, which I could not do before.',
  'We apologize for the inconvenience; the issue is fixed.',
  'I was able to reproduce the bug and fix it.',
  'decline = price_before - price_after',
  'Are you sorry?',
  'AI is a film from 2001.',
  'The apology came late, but I can see why.',
];

describe('content, looking for refusals and disclaimers too', () =>
  itJudges(
    content({ refusals: true, disclaimers: true }),
    [...EMPTY, ...REFUSALS, ...DISCLAIMERS],
    MUST_PASS,
  ));

describe('content as it is in the default suite', () => {
  it.each(EMPTY.map((output) => [output]))('fails on the empty output %j', (output) => {
    expect(judge(content(), output)).toEqual({ passed: false, reason: 'The output is empty.' });
  });

  it('leaves refusals and disclaimers alone', () => {
    expect([...REFUSALS, ...DISCLAIMERS].filter((output) => !judge(content(), output).passed)).toEqual([]);
  });

  it('looks for either of them alone', () => {
    expect(judge(content({ refusals: true }), DISCLAIMERS[0]).passed).toBe(true);
    expect(judge(content({ disclaimers: true }), REFUSALS[0]).passed).toBe(true);
  });
});
