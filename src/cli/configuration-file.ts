import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { RenownError } from '../core/errors.ts';
import { unreadable } from './read-text.ts';

const DEFAULT_FILE = 'renown.yaml';

/** What the configuration file holds. Without a name it is renown.yaml, which need not exist. */
export async function readConfigurationFile(named: string | undefined): Promise<Record<string, unknown>> {
  const path = named ?? DEFAULT_FILE;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (named === undefined && (cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw unreadable(path, cause);
  }
  try {
    const content: unknown = parse(text) ?? {};
    if (typeof content === 'object' && !Array.isArray(content)) return content as Record<string, unknown>;
  } catch (cause) {
    throw new RenownError('invalid_request', `${path} is not YAML. Check its indentation and quotes.`, {
      cause,
    });
  }
  throw new RenownError('invalid_request', `${path} must hold settings as name: value.`);
}
