/**
 * `renown.gates.yaml`: a suite as a file. What is wrong with it is said with the line it stands on, whether YAML, the
 * suite or a gate refuses it.
 */
import { readFile } from 'node:fs/promises';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { RenownError } from '../core/errors.ts';
import type { Engine } from '../gates/engine.ts';
import { openSuite, type Suite } from '../gates/suite.ts';

/** What a gate file says, and the engine that does it. */
export interface OpenedGateFile {
  suite: Suite;
  engine: Engine;
}

export async function openGateFile(path: string): Promise<OpenedGateFile> {
  return openGateText(await read(path), path);
}

/** The same from the text of a file; `name` is what errors call it. */
export async function openGateText(text: string, name: string): Promise<OpenedGateFile> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [fault] = document.errors;
  if (fault) {
    throw refusal(
      name,
      [{ line: lines.linePos(fault.pos[0]).line, path: '', message: `is not YAML (${fault.code})` }],
      fault,
    );
  }
  try {
    const suite = document.toJS({ maxAliasCount: 100 }) as Suite;
    return { suite, engine: await openSuite(suite) };
  } catch (error) {
    if (!(error instanceof RenownError) || !error.details) throw error;
    const places = error.details.map((issue) => ({ ...issue, line: lineOf(document, lines, issue.path) }));
    throw refusal(name, places, error);
  }
}

async function read(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new RenownError(
      'unreadable_input',
      `${path} could not be read (${code}). Check its path and rights.`,
      { cause },
    );
  }
  if (text.length > CLIENT_LIMITS.gateFileBytesMax)
    throw new RenownError(
      'payload_too_large',
      `${path} is larger than ${CLIENT_LIMITS.gateFileBytesMax} bytes.`,
    );
  return text;
}

/** The line of what a path names, or of the nearest thing around it that is there. */
function lineOf(document: Document, lines: LineCounter, path: string): number {
  const keys = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? key : Number(index),
  );
  for (let length = keys.length; length > 0; length--) {
    const node = document.getIn(keys.slice(0, length), true) as
      | { range?: [number, number, number] }
      | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function refusal(
  name: string,
  places: { line: number; path: string; message: string }[],
  cause: unknown,
): RenownError {
  const details = places.map(({ line, path, message }) => ({
    path: `${name}:${line}${path && ` ${path}`}`,
    message,
  }));
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new RenownError('invalid_request', `${details[0]?.path} ${details[0]?.message}${more}.`, {
    details,
    cause,
  });
}
