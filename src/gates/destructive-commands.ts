/**
 * Command lines that destroy: the words are found by the pass over the text, and the arguments are read the way a shell
 * or a list of arguments gives them, whatever their order, quoting and abbreviation.
 */
import { Arguments, commandLine, endOfCommand, endsCommand, isPartOfName } from './command-line.ts';
import { before, type Place, type WordRule } from './word-rules.ts';

const DELETES = 'A command that deletes recursively by force.';
const WIPES = 'A command that overwrites or formats a disk or file.';
const REMOTE = 'A command that runs what it downloads.';

/** Whole systems, homes and drives: where a recursive change of rights or owner breaks the machine. */
const ROOT =
  /^(?:\/+\*?|\/(?:etc|usr(?:\/(?:local|s?bin|lib\w*|share))?|var|bin|sbin|lib|lib64|boot|dev|opt|root|home|Users|System|Library|proc|sys|Applications)(?:\/\*?)?|~\/?\*?|\$\{?HOME\}?\/?\*?|[A-Za-z]:[\\/]*\*?|\*|\.\/?|\.\.\/?)$/;

const HOME_OR_ROOT = /^(?:\/+\*?|~\/?\*?|\$\{?HOME\}?\/?\*?|\*|\.\/?|\.\.\/?)$/;

/** Programs with a command `rm` of their own. */
const OWNERS = new Set(['git', 'svn', 'hg', 'docker', 'podman', 'kubectl', 's3']);

function isOwned({ text, start }: Place): boolean {
  let end = start;
  while (end > 0 && text.charCodeAt(end - 1) <= 32 && start - end < 4) end--;
  let at = end;
  while (at > 0 && text.charCodeAt(at - 1) > 47 && end - at < 8) at--;
  return end < start && end > at && OWNERS.has(text.slice(at, end));
}

const remove: WordRule = (place) => {
  const { text, end } = place;
  if (isPartOfName(place) || endsCommand(text, end, 'command') || isOwned(place)) return undefined;
  const words = new Arguments(text, end, endOfCommand(place, 'command'));
  let [recursive, force, rooted, flags] = [false, false, false, true];
  while (words.next()) {
    const first = text.charCodeAt(words.start);
    if (!flags || !isDash(first)) rooted ||= HOME_OR_ROOT.test(words.word);
    else if (text.charCodeAt(words.start + 1) === DASH) {
      const { word } = words;
      const bare = word === '--';
      // GNU takes every abbreviation that is not ambiguous.
      recursive ||= !bare && ('--recursive'.startsWith(word) || word === '--no-preserve-root');
      force ||= !bare && ('--force'.startsWith(word) || word === '--no-preserve-root');
      flags = !bare;
    } else if (words.end - words.start === 1) {
      // A shell makes two flags of `-{r,f}`.
      if (/^\{(?:r,f|f,r)\}/i.test(text.slice(words.end, words.end + 5))) recursive = force = true;
    } else {
      for (let at = words.start + 1; at < words.end; at++) {
        const letter = text.charCodeAt(at) | 32;
        recursive ||= letter === 114;
        force ||= letter === 102;
      }
    }
  }
  return recursive && (force || rooted) ? DELETES : undefined;
};

const DASH = 45;

/** Also the dashes that an editor makes of it. */
function isDash(code: number): boolean {
  return code === DASH || code === 0x2013 || code === 0x2014;
}

/** `/s` among the switches, which need no space before or between them: `rd/s/q`, `del /f/s/q`. */
const windowsRemove: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  return /(?:^\w+|[\s"',])(?:(?:\/[a-z])*\/s|-rec\w*)(?:$|[\s"',/])/i.test(commandLine(place, 'command'))
    ? DELETES
    : undefined;
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
  const words = new Arguments(place.text, place.end, endOfCommand(place, 'command'));
  let [recursive, rooted, operands] = [false, false, 0];
  while (words.next()) {
    if (place.text.charCodeAt(words.start) === DASH) recursive ||= /^-(?:[a-zA-Z]*R|-rec)/.test(words.word);
    // The first operand is the mode or the owner.
    else if (operands++ > 0) rooted ||= ROOT.test(words.word);
  }
  return recursive && rooted ? 'A recursive change of rights or owner of a system folder.' : undefined;
};

/** One pipe, not the two of "or else"; what a flag of sudo takes must not be what begins another command, or there were two readings of each. */
const INTO_SHELL =
  /(?<!\|)\|(?!\|)&?[\s"']*(?:(?:sudo|doas|env|nohup|exec)\s+(?:-[ugCT]\s+(?!sudo|doas|env|nohup|exec)\w+\s+|-\S+\s+|\w+=\S*\s+)*)*(?:\/\S{1,40}\/)?(?:(?:ba|z|k|da|fi|c|tc|a)?sh(?:$|[\s"'`;&|)])|(?:python[\d.]*|perl|ruby|node|php)\s*(?:-\s*)?(?:$|["'`;&|)\n])|iex\b|invoke-expression\b)/i;
const FROM_SHELL =
  /(?:\b(?:ba|z|k|da)?sh|\bsource|\beval|\biex|\binvoke-expression|(?:^|\s)\.)\s*(?:-\w+\s+)*["'(]*(?:<\(|\$\(|`|\()\s*(?:new-object\s.{0,40})?$/i;

/** Whether a bracket, a backtick or a command of PowerShell may stand right before. */
function opensCommand({ text, start }: Place): boolean {
  const previous = text.charCodeAt(start - 1);
  return (
    previous === 40 ||
    previous === 96 ||
    previous === 46 ||
    (previous === 32 && /[(`]\s*$|new-object\s/i.test(before(text, start, 44)))
  );
}

function runsDownload(place: Place): string | undefined {
  const reach = place.word === 'downloadstring' ? 64 : 32;
  if (opensCommand(place) && FROM_SHELL.test(before(place.text, place.start, reach))) return REMOTE;
  const line = commandLine(place, 'line');
  return line.includes('|') && INTO_SHELL.test(line) ? REMOTE : undefined;
}

const download: WordRule = (place) => (isPartOfName(place) ? undefined : runsDownload(place));

/** `Invoke-WebRequest` and `Invoke-RestMethod`, the long names of iwr and irm. */
const invoke: WordRule = (place) =>
  /^-(?:webrequest|restmethod)\b/i.test(place.text.slice(place.end, place.end + 16))
    ? runsDownload(place)
    : undefined;

const gitClean: WordRule = (place) => {
  if (isPartOfName(place)) return undefined;
  const words = new Arguments(place.text, place.end, endOfCommand(place, 'command'));
  // A few options of git itself may come first.
  for (let i = 0; words.next() && words.word !== 'clean'; i++) if (i === 4) return undefined;
  let [force, more, dry] = [false, false, false];
  while (words.next()) {
    const { word } = words;
    const short = /^-[^-]/.test(word);
    force ||= word === '--force' || (short && word.includes('f'));
    more ||= short && /[dxX]/.test(word);
    dry ||= word === '--dry-run' || (short && word.includes('n'));
  }
  return force && more && !dry ? 'A command that deletes every untracked file.' : undefined;
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
  downloadstring: runsDownload,
  invoke,
  git: gitClean,
  format: formatDrive,
};
