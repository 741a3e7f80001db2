/** Files of telemetry in a folder of their own, and what is read of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach } from 'vitest';
import { toVerdictWire } from '../../src/core/contract/verdict.ts';
import { judgeSessions } from '../../src/service/judge-sessions.ts';
import { Sources } from '../../src/telemetry/files/sources.ts';
import { claudeSession, toolResult } from './claude-session.ts';
import { lines } from './otlp.ts';

/** A new folder for each test of a file; answers with paths in it. */
export function useFolder(): (name: string) => string {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'renown-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  return (name) => join(folder, name);
}

/** A line with `count` tool results of a session, the first of them number `from`. */
export function line(session: string, from: number, count = 1, padding = ''): string {
  const results = Array.from({ length: count }, (_, i) =>
    toolResult(from + i, { tool_use_id: `${session}-${from + i}`, tool_input: padding }),
  );
  return lines([claudeSession(session, results)]);
}

export async function readAll(
  paths: string[],
  { cache = null as string | null, stdin = Buffer.from('') as Buffer | string } = {},
) {
  const sources = new Sources(paths, { cacheFolder: cache, isFollowed: false });
  await sources.read(Readable.from([Buffer.from(stdin)]));
  const { table, reading } = sources.all;
  const verdicts = judgeSessions(table, { which: 'all' }).map(toVerdictWire);
  return { verdicts, reading, tools: toolsIn(sources) };
}

/** How many tool results each session has. */
export function toolsIn(sources: Sources): Record<string, number> {
  const verdicts = judgeSessions(sources.all.table, { which: 'all' });
  return Object.fromEntries(verdicts.map(({ summary }) => [summary.entry.sessionId, summary.tools]));
}
