import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SessionTable } from '../../src/telemetry/session-table.ts';
import { TelemetryReader } from '../../src/telemetry/telemetry-reader.ts';
import type { Texts } from '../../src/telemetry/texts.ts';
import { logBatch } from '../support/otlp.ts';

function readWithHook(lines: string[]) {
  const seen: [kind: string, texts: Texts][] = [];
  const table = new SessionTable();
  const reader = new TelemetryReader(table, { onTexts: ({ kind }, texts) => seen.push([kind, texts]) });
  for (const line of lines) {
    const bytes = Buffer.from(line);
    reader.readLine(bytes, 0, bytes.length);
  }
  return { seen, table };
}

const batch = JSON.stringify(
  logBatch([
    {
      name: 'claude_code.user_prompt',
      at: 1,
      attributes: { 'session.id': 's', prompt: 'the secret question' },
    },
    {
      name: 'claude_code.tool_result',
      at: 2,
      attributes: { 'session.id': 's', tool_name: 'Bash', success: 'true', tool_input: 'the secret command' },
    },
    { name: 'claude_code.compaction', at: 3, attributes: { 'session.id': 's' } },
  ]),
);

describe('texts', () => {
  it('pass by whoever asked to see them, with the event they belong to', () => {
    expect(readWithHook([batch]).seen).toEqual([
      ['prompt', { prompt: 'the secret question' }],
      ['tool', { tool_input: 'the secret command' }],
    ]);
  });

  it('of a line that breaks off pass by nobody', () => {
    expect(readWithHook([batch.slice(0, -10)]).seen).toEqual([]);
  });

  it('of a transcript pass by too', () => {
    const transcript = readFileSync(
      new URL('../fixtures/telemetry/claude-code-transcript.jsonl', import.meta.url),
      'utf8',
    );
    expect(readWithHook(transcript.split('\n').filter(Boolean)).seen).toEqual([
      ['prompt', { prompt: 'Say hello, then read a file' }],
      ['tool', { tool_input: '{"command":"echo hello"}' }],
      ['tool', { tool_result: 'hello' }],
      ['tool', { tool_input: '{"file_path":"/recorded/absent.txt"}' }],
      ['tool', { tool_result: expect.stringContaining('File does not exist') }],
      ['model', { answer: 'Done.' }],
    ]);
  });

  it('are nowhere in what is kept, whether or not somebody looked', () => {
    const { table } = readWithHook([batch]);
    const { described, columns } = table.toParts();
    expect(Buffer.concat([Buffer.from(described), ...columns]).includes('secret')).toBe(false);
  });
});
