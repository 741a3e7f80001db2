/** From what a person names (a file, a folder, a pattern) to the files of telemetry it means, in a fixed order. */
import { readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** The collector's files, rotated by it (`logs-2026-….jsonl`) or by others (`logs.jsonl.1`), zipped or not. */
const TELEMETRY_NAME = /\.jsonl?(\.\d+)?(\.gz)?$/;
const MAGIC = /[*?]/;

/** Empty when a folder or pattern has none. Throws the system's error for a file that is not there. */
export function findFiles(named: string): string[] {
  if (statSync(named, { throwIfNoEntry: false }) === undefined && MAGIC.test(named)) return matching(named);
  if (!statSync(named).isDirectory()) return [named];
  return filesBelow(named).filter((path) => TELEMETRY_NAME.test(path));
}

function matching(pattern: string): string[] {
  const parts = pattern.split(sep);
  const fixed = parts.findIndex((part) => MAGIC.test(part));
  const base = parts.slice(0, fixed).join(sep) || (pattern.startsWith(sep) ? sep : '.');
  const rest = toExpression(parts.slice(fixed).join(sep));
  if (statSync(base, { throwIfNoEntry: false }) === undefined) return [];
  return filesBelow(base).filter((path) => rest.test(relative(base, path)));
}

/** `**` stands for any number of folders, `*` for anything but a separator, `?` for one character. */
function toExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*\*|\*|\?/g, (magic) =>
      magic === '**/' ? '(?:.*/)?' : magic === '**' ? '.*' : magic === '*' ? '[^/]*' : '[^/]',
    );
  return new RegExp(`^${source}$`);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isLink: entry.isSymbolicLink() }))
    .filter(({ path, isLink }) => !isLink || statSync(path, { throwIfNoEntry: false })?.isFile())
    .map(({ path }) => path)
    .sort();
}
