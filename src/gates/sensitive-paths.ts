/**
 * Paths that lead out of the root, and places where machines keep their secrets. Naming such a place in a sentence is
 * no offence; a path to it is.
 */
import { hiddenPlace, PLACE } from './hidden-places.ts';
import { before, type WordRule } from './word-rules.ts';

const TRAVERSAL = 'A path that climbs out of its root.';

/** Climbing, in every spelling a file API or a server may decode. */
const CLIMBS =
  /(?:\.\.|%2e%2e|%252e%252e|\.\.\.\.)(?:\/\/?|\\{1,2}|%2f|%5c|%252f)(?:[^\s"'`<>|]{0,80}(?:\/|\\|%2f|%5c))?$/i;

/** `../../etc/passwd`: climbing to a place that no project has under that name. */
const systemPlace: WordRule = ({ text, word, start, end }) => {
  const next = text.slice(end, end + 24);
  if (!/^(?:[/\\]|%2f|%5c|\s|["'`]|$)/i.test(next)) return undefined;
  const previous = text.charCodeAt(start - 1);
  // A slash, a backslash, or the last character of %2f or %5c.
  if (previous !== 47 && previous !== 92 && previous !== 102 && previous !== 70 && previous !== 99)
    return undefined;
  const path = before(text, start, 120);
  if (CLIMBS.test(path)) return TRAVERSAL;
  return word === 'shadow' && /\/etc\/$/.test(path) ? PLACE : undefined;
};

/** `%2e%2e%2f` has no honest use. */
const encodedDots: WordRule = ({ text, start }) =>
  /^(?:2e|252e|c0)(?:%(?:25)?2e|%ae%c0%ae|\.)(?:%(?:25)?(?:2f|5c)|[/\\])/i.test(
    text.slice(start, start + 24),
  ) && text.charCodeAt(start - 1) === 37
    ? TRAVERSAL
    : undefined;

/** `..%2f`, the same with the dots left as they are. */
const encodedSlash: WordRule = ({ text, start }) =>
  text.slice(Math.max(0, start - 3), start) === '..%' ? TRAVERSAL : undefined;

/** Keychains and credential stores that are no hidden files. */
const store: WordRule = ({ text, word, start, end }) => {
  const path = before(text, start, 64);
  const next = text.slice(end, end + 48);
  return STORES[word]?.(path, next) ? PLACE : undefined;
};

const STORES: Record<string, (path: string, next: string) => boolean> = {
  keychains: (path, next) => /Library[/\\]$/.test(path) && /^(?:[/\\]|$|\W)/.test(next),
  keyrings: (path) => /(?:\.local[/\\]share|\.gnome2)[/\\]$/.test(path),
  credentials: (path) =>
    /Microsoft[/\\]{1,2}$/i.test(path) || (/git-$/.test(path) && /[/\\]\.git-$/.test(path)),
  protect: (path, next) => /Microsoft[/\\]{1,2}$/i.test(path) && /^[/\\]/.test(next),
  vault: (path, next) => /Microsoft[/\\]{1,2}$/i.test(path) && /^(?:[/\\]|$)/.test(next),
  gcloud: (path, next) =>
    /\.config[/\\]$/.test(path) && /^[/\\](?:application_default_)?credentials/.test(next),
  ...Object.fromEntries(
    ['id_rsa', 'id_ed25519', 'id_ecdsa', 'id_dsa'].map((name) => [
      name,
      (path: string, next: string) => /[/\\~]$/.test(path) && !/^\.pub\b/.test(next),
    ]),
  ),
  system32: (path, next) =>
    /windows[/\\]{1,2}$/i.test(path) && /^[/\\]{1,2}config[/\\]{1,2}(?:sam|system|security)\b/i.test(next),
};

export const SENSITIVE_PATHS: Record<string, WordRule> = {
  'etc passwd shadow windows proc root': systemPlace,
  '2e 252e c0': encodedDots,
  '2f 5c 252f': encodedSlash,
  'env npmrc netrc pypirc pgpass ssh aws gnupg kube azure docker': hiddenPlace,
  'keychains keyrings credentials protect vault gcloud id_rsa id_ed25519 id_ecdsa id_dsa system32': store,
};
