/**
 * What an agent can read of an answer: all of it but the bytes of pictures, sounds and files, which would use up what gates
 * look at and hide the text behind them. Only what has the form of base64 counts as bytes, so that no text is taken for
 * them; and only in the lists of parts that MCP has, because everything else is handed to models as text.
 */
import { LIMITS } from '../core/limits.ts';
import type { Message } from './message.ts';

type Fields = Record<string, unknown>;

const PARTS = new Set(['content', 'contents', 'messages']);

export function readableOf({ result, error }: Message): unknown {
  if (error === undefined) return ofAnswer(result);
  // A client may take either one of them for the answer.
  return result === undefined ? error : { result: ofAnswer(result), error };
}

/** Whether an answer of a tool has parts, and none of them says anything. A picture does. */
export function isSilent(answer: unknown): boolean {
  const { content, structuredContent } = (answer ?? {}) as Fields;
  return Array.isArray(content) && (structuredContent ?? undefined) === undefined && content.every(isBlank);
}

function isBlank(part: unknown): boolean {
  const { type, text } = (part ?? {}) as Fields;
  return type === 'text' && (typeof text !== 'string' || !/\S/.test(text));
}

function ofAnswer(answer: unknown): unknown {
  return mapFields(answer, ([name, value]) => [[name, PARTS.has(name) ? withoutBytes(value, 0) : value]]);
}

function withoutBytes(value: unknown, depth: number): unknown {
  // Gates do not look deeper either.
  if (depth > LIMITS.gateDepthMax) return value;
  if (Array.isArray(value)) return value.map((item) => withoutBytes(item, depth + 1));
  return mapFields(value, ([name, field], fields) =>
    isBytes(name, field, fields) ? [] : [[name, withoutBytes(field, depth + 1)]],
  );
}

function isBytes(name: string, field: unknown, fields: Fields): boolean {
  if (name !== 'blob' && !(name === 'data' && 'mimeType' in fields)) return false;
  return typeof field === 'string' && isBase64(field);
}

/** In one piece, or in the long lines of MIME: words one below the other are no base64. */
function isBase64(text: string): boolean {
  return !/[^A-Za-z0-9+/=_\r\n-]/.test(text) && !/(?:^|\n)[^\n]{0,59}\n(?!$)/.test(text);
}

/** A copy of an object with other fields; whatever else it is stays as it is. */
function mapFields(
  value: unknown,
  map: (field: [string, unknown], fields: Fields) => [string, unknown][],
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = value as Fields;
  // Not by assignment, which would make a field named __proto__ disappear.
  return Object.fromEntries(Object.entries(fields).flatMap((field) => map(field, fields)));
}
