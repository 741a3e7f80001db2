import { findAssignedSecret } from './assigned-secret.ts';
import { codesOf, QUOTES } from './characters.ts';
import type { Gate } from './gate.ts';
import { foundNothing, toFinding } from './offence.ts';
import type { Sightings } from './sightings.ts';
import { sightingsOf } from './text.ts';
import { findVendorKey, VENDOR_WORDS } from './vendor-keys.ts';
import { before, compileRules, type WordRule } from './word-rules.ts';

const KEY = 'A key of a cloud or a service.';

const privateKey: WordRule = ({ text, start }) =>
  /-----$/.test(before(text, start, 5)) &&
  /^BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/.test(text.slice(start, start + 64))
    ? 'A private key.'
    : undefined;

/** `Authorization: Bearer …` with something behind it that was drawn, not written. */
const authorization: WordRule = ({ text, start, end }) => {
  const value = /^["']?\s+([A-Za-z0-9+/=_.~-]{16,})/.exec(text.slice(end, end + 256))?.[1];
  if (value === undefined || !looksDrawn(value)) return undefined;
  const isBasic = text.charCodeAt(start + 1) === 97 || text.charCodeAt(start + 1) === 65;
  // "Basic" is also an English word and a language; as a credential it follows the name of the header.
  if (isBasic && !/authorization["']?\s*[:=,]\s*["']?$/i.test(before(text, start, 32))) return undefined;
  return 'A credential of an HTTP request.';
};

/** Letters and digits mixed, and neither a run of one thing nor words joined by dots. */
function looksDrawn(value: string): boolean {
  return (
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^(?:\w{1,12}\.)+\w{1,12}$/.test(value) &&
    !/(.)\1{5}/.test(value)
  );
}

const findByWord = compileRules({
  begin: privateKey,
  'bearer basic': authorization,
  [VENDOR_WORDS]: ({ text, start }) => (findVendorKey(text, start) ? KEY : undefined),
});

/** Fails on credentials: private keys, keys of clouds and services, JWTs, URLs with a password, assigned secrets. */
export function secrets(): Gate {
  return {
    name: 'secrets',
    run(context) {
      const sightings = sightingsOf(context);
      const byWord = findByWord(sightings);
      if (byWord) return toFinding(byWord, sightings);
      const { text, longWords, numbers, ats, assignments } = sightings;
      for (const words of [longWords, numbers]) {
        for (let i = 0; i < words.length; i += 2) {
          const at = words[i] as number;
          // Of numbers only those before `:A` may be that of a bot, with its key behind.
          if (words === numbers && !text.startsWith(':A', words[i + 1])) continue;
          if (findVendorKey(text, at)) return toFinding({ reason: KEY, at }, sightings);
        }
      }
      for (const at of ats) {
        if (isPasswordInUrl(sightings, at))
          return toFinding({ reason: 'A connection string with a password.', at }, sightings);
      }
      for (let i = 0; i < assignments.length; i += 2) {
        const [start, end] = [assignments[i] as number, assignments[i + 1] as number];
        if (findAssignedSecret(text, start, end))
          return toFinding({ reason: 'A value assigned to the name of a secret.', at: start }, sightings);
      }
      return foundNothing(sightings);
    },
  };
}

const PLACEHOLDER =
  /^(?:[<[{$%*]|x{3,}|pass(?:word|wd)?$|secret$|pwd$|your|\.{3}|example|changeme|redacted)/i;

/** `scheme://user:password@host`, with a password that is none of the words that examples use. */
function isPasswordInUrl({ text }: Sightings, at: number): boolean {
  const start = startOfUrl(text, at);
  if (start === -1) return false;
  const [, user, password] =
    /^[a-z][a-z0-9+.-]{1,24}:\/\/([^\s:/@"'`<>]{0,64}):([^\s/@"'`]{1,100})$/i.exec(text.slice(start, at)) ??
    [];
  // Who has his name for a password has the one that the server came with.
  if (password === undefined || password === user || PLACEHOLDER.test(password)) return false;
  return /^[\w[]/.test(text.charAt(at + 1));
}

const OUTSIDE_URL = codesOf(`${QUOTES}@<=(`);

/** Where the URL begins whose `@` stands here: back to the last space, quote or other `@`, and only if `://` is between. */
function startOfUrl(text: string, at: number): number {
  let scheme = false;
  let start = at;
  while (start > 0 && at - start < 200) {
    const code = text.charCodeAt(start - 1);
    if (code <= 32 || OUTSIDE_URL[code] === 1) break;
    if (code === 47 && text.charCodeAt(start) === 47) scheme = true;
    start--;
  }
  return scheme ? start : -1;
}
