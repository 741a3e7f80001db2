/** Where telemetry is when nobody says where. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { RenownError } from '../../core/errors.ts';
import { findFiles } from '../../telemetry/files/find-files.ts';
import type { Io } from '../io.ts';
import { unreadable } from '../read-text.ts';

interface Telemetry {
  /** What was named, or where it was found: a file, a folder, a pattern, or `-`. */
  place: string;
  files: string[];
}

/** The files that were named, or the first of the usual places that has any. Says on standard error where it looked. */
export function findTelemetry(
  named: string | undefined,
  io: Io,
  {
    looked = [],
    sought = 'telemetry',
  }: { /** Where there was nothing, before this was asked. */ looked?: string[]; sought?: string } = {},
): Telemetry {
  if (named !== undefined) return { place: named, files: named === '-' ? ['-'] : filesOf(named) };
  const places = ['services/collector/data/logs.jsonl', transcriptsOf(io.env)];
  for (const place of places) {
    const files = statSync(place, { throwIfNoEntry: false }) === undefined ? [] : findFiles(place);
    if (files.length === 0) {
      looked.push(place);
      continue;
    }
    const elsewhere = looked.length > 0 ? `; nothing in ${looked.join(', ')}` : '';
    io.stderr.write(`Reading ${place}${elsewhere}.\n`);
    return { place, files };
  }
  throw new RenownError(
    'not_found',
    `There is no ${sought} in ${looked.join(' or ')}. Name a file: renown judge logs.jsonl.`,
  );
}

/** The files of a place as they are by now; none while it is being rotated. */
export function findAgain({ place }: Telemetry): string[] {
  if (place === '-') return [];
  try {
    return findFiles(place);
  } catch {
    return [];
  }
}

function filesOf(named: string): string[] {
  try {
    const files = findFiles(named);
    if (files.length > 0) return files;
  } catch (cause) {
    throw unreadable(named, cause);
  }
  throw new RenownError(
    'not_found',
    `${named} has no file of telemetry in it (.jsonl, .json, rotated or gzipped).`,
  );
}

function transcriptsOf({ CLAUDE_CONFIG_DIR, HOME }: Io['env']): string {
  return join(CLAUDE_CONFIG_DIR ?? join(HOME ?? homedir(), '.claude'), 'projects');
}

/** The user's folder for what can be made again. */
export function cacheFolder({ RENOWN_CACHE, XDG_CACHE_HOME, HOME }: Io['env']): string {
  // An empty variable is none.
  return RENOWN_CACHE || join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'renown', 'readings');
}
