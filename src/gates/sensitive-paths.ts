/**
 * Paths that lead out of the root, and places where machines keep their secrets. Naming such a place in a sentence is
 * no offence; a path to it is.
 */
import { before, type WordRule } from './word-rules.ts';

const TRAVERSAL = 'A path that climbs out of its root.';
const PLACE = 'A path to where credentials are kept.';

/** Programs that read or copy a file, before a bare `.env` on the same line. */
const READS =
  /(?:^|[\s|;&("'`$])(?:cat|less|more|head|tail|cp|mv|scp|rsync|source|open|type|bat|nano|vim?|code|base64|xxd|strings|grep|read(?:file(?:sync)?)?|get-content|gc|tar|zip|curl)\b[^\n;|&]{0,40}$/i;

/** Before a path that is all there is: the text begins, or a field or element of a walked value. */
const ALONE_BEFORE = /(?:^|\f)\s*$/;
const ALONE_AFTER = /^\s*(?:$|\f)/;

/** `/` or `\` (also doubled, as JSON writes it), `~`, or a variable that stands for a home, before the dot of a hidden file. */
const IN_A_FOLDER = /(?:[/\\]|%2f)\.$/i;

/** Climbing, in every spelling a file API or a server may decode. */
const CLIMBS =
  /(?:\.\.|%2e%2e|%252e%252e|\.\.\.\.)(?:\/\/?|\\{1,2}|%2f|%5c|%252f)(?:[^\s"'`<>|]{0,80}(?:\/|\\|%2f|%5c))?$/i;

/** `../../etc/passwd`: climbing to a place that no project has under that name. */
const systemPlace: WordRule = ({ text, start, end }) => {
  const next = text.slice(end, end + 24);
  if (!/^(?:[/\\]|%2f|%5c|\s|["'`]|$)/i.test(next)) return undefined;
  const previous = text.charCodeAt(start - 1);
  // A slash, a backslash, or the last character of %2f or %5c.
  if (previous !== 47 && previous !== 92 && previous !== 102 && previous !== 70 && previous !== 99)
    return undefined;
  const path = before(text, start, 120);
  if (CLIMBS.test(path)) return TRAVERSAL;
  const word = text.slice(start, end).toLowerCase();
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

/** Hidden files and folders by the word behind the dot. `.env.example` and public keys are meant to be shared. */
const hiddenPlace: WordRule = ({ text, start, end }) => {
  if (text.charCodeAt(start - 1) !== 46) return undefined;
  const next = text.slice(end, end + 64);
  const word = text.slice(start, end).toLowerCase();
  if (!HIDDEN[word]?.test(next)) return undefined;
  const path = before(text, start, 120);
  if (IN_A_FOLDER.test(path)) return PLACE;
  const line = path.slice(0, -1);
  const bare =
    word === 'env' || word === 'npmrc' || word === 'netrc' || word === 'pypirc' || word === 'pgpass';
  // A folder is a place only with something in it; this also keeps a text of nothing but names cheap.
  if (!bare && !/^[/\\]\w/.test(next)) return undefined;
  if (READS.test(line.slice(-48))) return PLACE;
  if (!bare && /(?:^|[\s"'`=(:,])$/.test(line) && /^[/\\]\w/.test(next)) return PLACE;
  return ALONE_BEFORE.test(line) && ALONE_AFTER.test(next) ? PLACE : undefined;
};

const END = '(?:$|[\\s"\'`,;:|&)\\]}<>?])';
const FILE = new RegExp(`^${END}`);
const FOLDER = new RegExp(`^(?:[/\\\\](?!\\S{0,40}\\.pub\\b)|${END})`);
const HIDDEN: Record<string, RegExp> = {
  env: new RegExp(`^(?:\\.(?:local|production|prod|development|dev|staging|test)(?:\\.local)?)?${END}`),
  npmrc: FILE,
  netrc: FILE,
  pypirc: FILE,
  pgpass: FILE,
  ssh: FOLDER,
  aws: FOLDER,
  gnupg: FOLDER,
  kube: FOLDER,
  azure: FOLDER,
  docker: /^[/\\]config\.json\b/,
};

/** Keychains and credential stores that are no hidden files. */
const store: WordRule = ({ text, start, end }) => {
  const path = before(text, start, 64);
  const next = text.slice(end, end + 48);
  const word = text.slice(start, end).toLowerCase();
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

/** How many names a path may have before and behind `..`; longer ones are read from their last names. */
const PATH_REACH = 200;

/** An absolute path with more `..` than folders to leave: `/srv/data/../../../etc`. */
export function climbsAboveRoot(text: string, dots: number): boolean {
  const head = /(?:^|[\s"'`=:(<,])(\/[^\s"'`<>|:;,()]*)$/.exec(before(text, dots, PATH_REACH))?.[1];
  if (head === undefined || /^\/\//.test(head)) return false;
  const tail = /^[^\s"'`<>|:;,()]*/.exec(text.slice(dots, dots + PATH_REACH))?.[0] ?? '';
  let depth = 0;
  for (const name of (head + tail).split(/[/\\]+/)) {
    if (name === '..') depth--;
    else if (name !== '' && name !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}
