/**
 * `renown.gates.yaml`: a suite as a file. What is wrong with it is said with the line it stands on, whether YAML, the
 * suite or a gate refuses it.
 */
import { readFile } from 'node:fs/promises';
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import { CLIENT_LIMITS } from '../core/client-limits.ts';
import { RenownError } from '../core/errors.ts';
import type { Engine } from '../gates/engine.ts';
import { fieldsOfPath } from '../gates/field-path.ts';
import { openSuite, type Suite } from '../gates/suite.ts';

/** What a gate file says, and the engine that does it. */
export interface OpenedGateFile {
  suite: Suite;
  engine: Engine;
}

export interface GateFileOptions {
  /** For each gate, where the file does not say. */
  timeoutMs?: number;
}

export async function openGateFile(path: string, options?: GateFileOptions): Promise<OpenedGateFile> {
  return openGateText(await read(path), path, options);
}

/** The same from the text of a file; `name` is what errors call it. */
export async function openGateText(
  text: string,
  name: string,
  options?: GateFileOptions,
): Promise<OpenedGateFile> {
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
  const suite = toSuite(document, lines, name);
  try {
    return { suite, engine: await openSuite(suite, options) };
  } catch (error) {
    if (!(error instanceof RenownError) || !error.details) throw error;
    const places = error.details.map((issue) => ({ ...issue, line: lineOf(document, lines, issue.path) }));
    throw refusal(name, places, error);
  }
}

/** YAML knows only here that an alias has no anchor, or that aliases of aliases come to more than anybody would write. */
function toSuite(document: Document, lines: LineCounter, name: string): Suite {
  try {
    return document.toJS({ maxAliasCount: 100 }) as Suite;
  } catch (cause) {
    let unresolved: Alias | undefined;
    let last: Alias | undefined;
    visit(document, {
      Alias(_, alias) {
        last = alias;
        if (!alias.resolve(document)) unresolved ??= alias;
      },
    });
    const line = lines.linePos((unresolved ?? last)?.range?.[0] ?? 0).line;
    const message = unresolved
      ? 'is an alias without its anchor'
      : 'has more aliases than a gate file may have';
    throw refusal(name, [{ line, path: '', message }], cause);
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

/** The line of what a path names, or of the nearest thing around it that is there; of a field the line of its name. */
function lineOf(document: Document, lines: LineCounter, path: string): number {
  let line = 1;
  let node: unknown = document.contents;
  for (const key of fieldsOfPath(path)) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node)
      ? node.items.find(({ key: name }) => isScalar(name) && name.value === key)
      : undefined;
    const place = pair ? pair.key : isSeq(node) ? node.items[Number(key)] : undefined;
    if (!isNode(place) || !place.range) break;
    line = lines.linePos(place.range[0]).line;
    node = pair ? pair.value : place;
  }
  return line;
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
