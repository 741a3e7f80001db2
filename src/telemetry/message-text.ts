/**
 * What was said in messages of a model, whatever their shape: `content` as a text or as blocks, `parts` as the GenAI
 * conventions and Gemini have them. Names of fields are not words of a conversation, so what looks like messages and cannot
 * be read as such is nothing, rather than its JSON. Tool calls, their results and reasoning are nothing that was said.
 */
import { LIMITS } from '../core/limits.ts';

type Json = { readonly [key: string]: unknown };
type Speaker = 'user' | 'assistant';

/** The last thing that the user says in messages in JSON, or all that the assistant says. Any other text is itself. */
export function spokenText(text: string, speaker: Speaker): string | undefined {
  const messages = parseMessages(text);
  if (messages === null) return text;
  const said = messages
    .map(object)
    .filter(({ role }) => isSpeaker(role, speaker))
    .flatMap(({ content, parts }) => contentText(content ?? parts) ?? []);
  return (speaker === 'user' ? said.at(-1) : said.join('\n')) || undefined;
}

/** The text of a content, be it one text or a list of blocks; null where there is none. */
export function contentText(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map(object).flatMap(({ type = 'text', text, content: inner }) => {
    const said = text ?? inner;
    return TEXT_TYPES.has(type) && typeof said === 'string' ? [said] : [];
  });
  return texts.length === 0 ? null : texts.join('\n');
}

const TEXT_TYPES = new Set<unknown>(['text', 'input_text', 'output_text']);

/** Null for a text that does not look like messages; empty for what does, and is too long, cut off or something else. */
function parseMessages(text: string): unknown[] | null {
  if (!/^\s*(\[\s*\{|\{\s*")/.test(text)) return null;
  if (text.length > LIMITS.messagesLengthMax) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [parsed];
  } catch {
    return [];
  }
}

/** Messages of a model need not say whose they are. */
function isSpeaker(role: unknown, speaker: Speaker): boolean {
  if (speaker === 'user') return role === 'user';
  return role === 'assistant' || role === 'model' || role === undefined;
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
