/**
 * What was said and done, on its way past. Signal extractors look at texts here, before they are dropped; nothing else
 * sees them, and without an extractor they are not even built: their attributes are declared when the first one comes.
 */
import { attribute } from './attributes.ts';
import { spokenText } from './message-text.ts';
import type { SessionEvent } from './session-event.ts';
import type { TelemetryRecord } from './telemetry-record.ts';

type TextRole = 'prompt' | 'answer' | 'tool_input' | 'tool_result';
export type Texts = { readonly [role in TextRole]?: string };

/** Sees each event that has texts, once for every time it is read. Must not keep them. */
export type TextHook = (event: SessionEvent, texts: Texts) => void;

/** Under what names agents send them, when they are told to. */
const NAMES: Readonly<Record<TextRole, readonly string[]>> = {
  prompt: ['prompt', 'gen_ai.input.messages'],
  answer: ['response', 'gen_ai.output.messages'],
  tool_input: ['tool_input', 'tool_parameters', 'arguments', 'function_args', 'gen_ai.tool.call.arguments'],
  tool_result: ['output', 'gen_ai.tool.call.result'],
};

/** Those under which whole messages come, and whose words are looked for in them. */
const MESSAGES = [
  ['gen_ai.input.messages', 'user'],
  ['gen_ai.output.messages', 'assistant'],
] as const;

/** From now on decoders build texts. Answers with what takes them out of a record; undefined for one that has none. */
export function declareTexts(): (record: TelemetryRecord) => Texts | undefined {
  const places = (Object.keys(NAMES) as TextRole[]).map((role) => ({
    role,
    aliases: NAMES[role].map(attribute),
  }));
  const inMessages = new Map(MESSAGES.map(([name, speaker]) => [attribute(name), speaker]));
  return (record) => {
    // Most records have none, and there are millions: nothing is made for those.
    let found: { [role in TextRole]?: string } | undefined;
    for (const { role, aliases } of places) {
      const place = aliases.find((alias) => record.text(alias) !== undefined);
      if (place === undefined) continue;
      const speaker = inMessages.get(place);
      const told = record.text(place) ?? '';
      const text = speaker === undefined ? told : spokenText(told, speaker);
      if (text === undefined || text === WITHHELD) continue;
      found ??= {};
      found[role] = text;
    }
    return found;
  };
}

/** What Claude Code sends in place of a prompt unless it is told otherwise. */
const WITHHELD = '<REDACTED>';
