import { RenownError } from '../core/errors.ts';

/**
 * What a person may hand to a command that reads JSON: one document, a list of them, or JSON Lines.
 * `labels` says where each stands, for error messages.
 */
export type JsonInput =
  | { kind: 'one'; documents: [unknown]; labels: [''] }
  | { kind: 'list' | 'lines'; documents: unknown[]; labels: string[] };

/**
 * Tells JSON Lines by the first line: a document of its own, with more to follow. `file` is where the text comes from,
 * for error messages.
 */
export function parseJsonInput(text: string, file?: string): JsonInput {
  const what = file ?? 'The input';
  if (text.trim() === '')
    throw new RenownError('invalid_json', `${what} is empty; a JSON document was expected.`);
  const start = text.search(/\S/);
  const end = text.indexOf('\n', start);
  if (end !== -1 && /\S/.test(text.slice(end)) && isJson(text.slice(start, end)))
    return parseLines(text, file);

  const document = parse(text, what);
  if (!Array.isArray(document)) return { kind: 'one', documents: [document], labels: [''] };
  return { kind: 'list', documents: document, labels: document.map((_, i) => `[${i}]`) };
}

function parseLines(text: string, file: string | undefined): JsonInput {
  const ofFile = file === undefined ? '' : ` of ${file}`;
  const lines = text
    .split('\n')
    .map((line, i) => ({ line, number: i + 1 }))
    .filter(({ line }) => line.trim() !== '');
  return {
    kind: 'lines',
    documents: lines.map(({ line, number }) => parse(line, `Line ${number}${ofFile}`)),
    labels: lines.map(({ number }) => `line ${number}`),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // V8's message may quote the input, which may be a payload; its position is enough to find the place.
    const position = /at position (\d+)/.exec((cause as Error).message)?.[1];
    const where = position === undefined ? '' : ` It breaks at character ${position}.`;
    throw new RenownError('invalid_json', `${what} is not JSON.${where}`, { cause });
  }
}
