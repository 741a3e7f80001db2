import { readFileSync } from 'node:fs';
import { RenownError } from '../../core/errors.ts';
import type { MasqueSession } from '../../service/masque-session.ts';
import { unreadable } from '../read-text.ts';

const USUAL_PLACE = '.claude/masque.session.yaml';

/** The session file of masque: the one that is named, or the one of this folder if it has any. */
export async function readMasqueSession(named: string | undefined): Promise<MasqueSession | undefined> {
  const path = named ?? USUAL_PLACE;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (named === undefined && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, cause);
  }
  const { parse } = await import('yaml');
  try {
    return toMasqueSession(parse(text), path);
  } catch (cause) {
    if (cause instanceof RenownError) throw cause;
    throw new RenownError('invalid_request', `${path} is not YAML.`, { cause });
  }
}

function toMasqueSession(document: unknown, path: string): MasqueSession {
  const { active, previous } = (document ?? {}) as Record<string, Record<string, unknown> | null | undefined>;
  return {
    active: active?.name
      ? { name: String(active.name), donnedAt: toTime(active.donned_at, `active.donned_at in ${path}`) }
      : undefined,
    previous: previous?.name
      ? { name: String(previous.name), doffedAt: toTime(previous.doffed_at, `previous.doffed_at in ${path}`) }
      : undefined,
  };
}

/** Null where the file gives no time. */
function toTime(value: unknown, what: string): number | null {
  if (value === null || value === undefined || value === '') return null;
  const time = Date.parse(String(value));
  if (Number.isNaN(time)) throw new RenownError('invalid_request', `${what} is no time.`);
  return time;
}
