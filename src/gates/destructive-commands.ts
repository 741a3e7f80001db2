/**
 * Command lines that destroy: the words are found by the pass over the text, and the arguments are read the way a shell
 * or a list of arguments gives them, whatever their order, quoting and abbreviation.
 */
import { before, type Place, type WordRule } from './word-rules.ts';

/** How far a command line is read, and how much of that the next look may see again. */
const REACH = 512;
const OVERLAP = 64;

const NEWLINE = 10;
const BACKSLASH = 92;

const DELETES = 'A command that deletes recursively by force.';
const WIPES = 'A command that overwrites or formats a disk or file.';
const REMOTE = 'A command that runs what it downloads.';

/** Whole systems, homes and drives: where a recursive change of rights or owner breaks the machine. */
const ROOT =
  /^(?:\/+\*?|\/(?:etc|usr|var|bin|sbin|lib|lib64|boot|dev|opt|root|home|Users|System|Library|proc|sys|Applications)(?:\/\*?)?|~\/?\*?|\$\{?HOME\}?\/?\*?|[A-Za-z]:[\\/]*\*?|\*|\.\/?|\.\.\/?)$/;

const HOME_OR_ROOT = /^(?:\/+\*?|~\/?\*?|\$\{?HOME\}?\/?\*?|\*|\.\/?|\.\.\/?)$/;

/** The command line that begins here, up to where the shell would end it. */
function commandLine(place: Place, ends: 'command' | 'line'): string {
  const { text, start } = place;
  const limit = Math.min(text.length, start + REACH);
  let end = start;
  while (end < limit && !endsCommand(text, end, ends)) end++;
  place.cover(end === start + REACH ? end - OVERLAP : end);
  return text.slice(start, end);
}

function endsCommand(text: string, at: number, ends: 'command' | 'line'): boolean {
  const code = text.charCodeAt(at);
  if (code === NEWLINE) return text.charCodeAt(at - 1) !== BACKSLASH;
  // ; | &
  return ends === 'command' && (code === 59 || code === 124 || code === 38);
}

/** Its words, with quotes, brackets, commas and `$IFS` read as the spaces that they amount to. */
function argumentsOf(line: string): string[] {
  return line
    .replace(/\$\{?IFS\}?|\\\r?\n/g, ' ')
    .split(/[\s"'`,[\](){}\\]+/)
    .slice(1)
    .filter((word) => word !== '');
}

/** A word that is part of another: `--rm`, `.rm`, `$rm`, `rm-rf`, `rm.txt`. */
function isPartOfName({ text, start, end }: Place): boolean {
  const previous = text.charCodeAt(start - 1);
  if (previous === 45 || previous === 46 || previous === 36) return true;
  const next = text.charCodeAt(end);
  // A dash, or a dot, a colon, an equals sign or an opening bracket right behind: a name in a text or a program.
  return next === 45 || next === 46 || next === 58 || next === 61 || next === 40;
}

const remove: WordRule = (place) => {
  if (
    isPartOfName(place) ||
    /(?:git|svn|hg|docker|podman|kubectl|s3)\s+$/.test(before(place.text, place.start, 12))
  )
    return undefined;
  const line = commandLine(place, 'command');
  if (line.length < 5) return undefined;
  const { recursive, force, targets } = readFlags(line);
  if (recursive && (force || targets.some((target) => HOME_OR_ROOT.test(target)))) return DELETES;
  return undefined;
};

function readFlags(line: string) {
  let recursive = /-\{(?:r,f|f,r)\}/i.test(line);
  let force = recursive;
  const targets: string[] = [];
  const words = argumentsOf(line);
  for (const [i, word] of words.entries()) {
    if (word === '--') {
      targets.push(...words.slice(i + 1));
      break;
    }
    if (word === '--no-preserve-root') recursive = force = true;
    else if (word.startsWith('--')) {
      // GNU takes every abbreviation that is not ambiguous.
      if ('--recursive'.startsWith(word) && word.length > 2) recursive = true;
      if ('--force'.startsWith(word) && word.length > 2) force = true;
    } else if (/^[-–—][A-Za-z]/.test(word)) {
      if (/r/i.test(word)) recursive = true;
      if (/f/i.test(word)) force = true;
    } else targets.push(word);
  }
  return { recursive, force, targets };
}

const windowsRemove: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  const line = commandLine(place, 'command');
  return /[\s"',](?:\/s|-rec\w*)(?:$|[\s"',/])/i.test(line) ? DELETES : undefined;
};

const removeItem: WordRule = (place) =>
  /^remove-item\b/i.test(place.text.slice(place.start, place.start + 12)) &&
  /\s-rec?\w*\b|\s-r\b/i.test(commandLine(place, 'command'))
    ? DELETES
    : undefined;

const find: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  const line = commandLine(place, 'line');
  return /[\s"',]-(?:delete\b|(?:exec|ok)(?:dir)?["',\s]+(?:\S*\/)?(?:rm|shred)\b)/.test(line)
    ? 'A search that deletes what it finds.'
    : undefined;
};

const shred: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  const line = commandLine(place, 'command');
  return /^shred[\s"',]+(?:--?\w|[~/$]|\.{0,2}\/|[A-Za-z]:\\|[\w-]+\.[a-z]{2,5}(?:$|[\s"']))/i.test(line)
    ? WIPES
    : undefined;
};

const makeFilesystem: WordRule = (place) =>
  /^(?:mkfs(?:\.\w+)?|wipefs|diskutil)[\s"',].*(?:\/dev\/|\berase(?:disk|volume)\b)/i.test(
    commandLine(place, 'command').replaceAll('\n', ' '),
  )
    ? WIPES
    : undefined;

const DISK = '(?:[sh]d[a-z]|nvme|vd[a-z]|xvd|mmcblk|disk|r?disk\\d|mapper|md\\d|loop)';
const OF_DEVICE = /\bof=["']?\/dev\/(?!null\b|stdout\b|stderr\b|tty|fd\b|shm\b)/;
const TO_DEVICE = /(?:>|\btee\s|\bcp\s.{1,80}\s|\bmv\s.{1,80}\s)\s*["']?\/$/;
const DEVICE = new RegExp(`^dev/${DISK}`);

const copyToDevice: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  return OF_DEVICE.test(commandLine(place, 'command')) ? WIPES : undefined;
};

/** `> /dev/sda`: whatever writes there. */
const writeToDevice: WordRule = ({ text, start }) =>
  text.charCodeAt(start - 1) === 47 &&
  DEVICE.test(text.slice(start, start + 16)) &&
  TO_DEVICE.test(before(text, start, 96))
    ? WIPES
    : undefined;

const changeRights: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  const words = argumentsOf(commandLine(place, 'command'));
  const recursive = words.some((word) => /^-[a-zA-Z]*R/.test(word) || /^--rec/.test(word));
  const targets = words.filter((word) => !word.startsWith('-')).slice(1);
  return recursive && targets.some((target) => ROOT.test(target))
    ? 'A recursive change of rights or owner of a system folder.'
    : undefined;
};

const INTO_SHELL =
  /\|&?[\s"']*(?:(?:sudo|doas|env|nohup|exec)\s+(?:-\S+\s+|\w+=\S*\s+)*)*(?:\/\S{1,40}\/)?(?:(?:ba|z|k|da|fi|c|tc|a)?sh(?:$|[\s"'`;&|)])|(?:python[\d.]*|perl|ruby|node|php)\s*(?:-\s*)?(?:$|["'`;&|)\n])|iex\b|invoke-expression\b)/i;
const FROM_SHELL =
  /(?:\b(?:ba|z|k|da)?sh|\bsource|\beval|\biex|\binvoke-expression|(?:^|\s)\.)\s*(?:-\w+\s+)*["'(]*(?:<\(|\$\(|`|\()\s*(?:new-object\s.{0,40})?$/i;

/** Whether a bracket, a backtick or a command of PowerShell may stand right before. */
function opensCommand({ text, start }: Place): boolean {
  const previous = text.charCodeAt(start - 1);
  return (
    previous === 40 ||
    previous === 96 ||
    (previous === 32 && /[(`]\s*$|new-object\s/i.test(before(text, start, 44)))
  );
}

const download: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  if (opensCommand(place) && FROM_SHELL.test(before(place.text, place.start, 48))) return REMOTE;
  const line = commandLine(place, 'line');
  return line.includes('|') && INTO_SHELL.test(line) ? REMOTE : undefined;
};

const gitClean: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  const words = argumentsOf(commandLine(place, 'command'));
  const at = words.indexOf('clean');
  if (at === -1 || at > 4) return undefined;
  const flags = words.slice(at + 1).filter((word) => word.startsWith('-'));
  const has = (letter: string, long: string) =>
    flags.some((flag) => (flag.startsWith('--') ? flag === long : flag.includes(letter)));
  return has('f', '--force') && (has('d', '-') || has('x', '-') || has('X', '-')) && !has('n', '--dry-run')
    ? 'A command that deletes every untracked file.'
    : undefined;
};

const formatDrive: WordRule = (place) =>
  !isPartOfName(place) &&
  /^format\s+[a-z]:(?:$|[\s/"'\\])/i.test(place.text.slice(place.start, place.start + 24))
    ? WIPES
    : undefined;

/** `r\m` and `r""m` are spellings of rm to a shell. */
const splitRemove: WordRule = ({ text, start }) =>
  /^r(?:\\|''|"")m[\s"']+-/.test(text.slice(start, start + 16)) &&
  /\s-\w*[rR]\w*f|\s-\w*f\w*[rR]/.test(text.slice(start, start + 80))
    ? DELETES
    : undefined;

export const DESTRUCTIVE_COMMANDS: Record<string, WordRule> = {
  rm: remove,
  r: splitRemove,
  'del erase rd rmdir ri': windowsRemove,
  remove: removeItem,
  find,
  shred,
  'mkfs wipefs diskutil': makeFilesystem,
  dd: copyToDevice,
  dev: writeToDevice,
  'chmod chown': changeRights,
  'curl wget iwr irm': download,
  git: gitClean,
  format: formatDrive,
};

/** `:(){ :|:& };:` under whatever name: a function that pipes itself into itself in the background. */
export function isForkBomb(text: string, pipe: number): boolean {
  // Most pipes are none: what follows must be one short word and an ampersand.
  let at = pipe + 1;
  while (text.charCodeAt(at) === 32) at++;
  const end = at + 16;
  while (at < end && isNameCode(text.charCodeAt(at))) at++;
  while (text.charCodeAt(at) === 32 && at < end + 4) at++;
  if (text.charCodeAt(at) !== 38) return false;
  const around = text.slice(Math.max(0, pipe - 48), pipe + 48);
  return /([:\w]{1,16})\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}/.test(around);
}

function isNameCode(code: number): boolean {
  return code === 58 || code === 95 || (code >= 48 && code <= 57) || (code >= 65 && code <= 122);
}
