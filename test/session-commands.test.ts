/** The session commands as processes, on a ledger that no server has open. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renown } from './support/renown.ts';

const SECRET = 'the vault code is 4711-0815';
const TRANSCRIPT = [
  { role: 'user', content: 'Please repair the broken importer of customer invoices today' },
  {
    role: 'assistant',
    content: `The importer of invoices is repaired, and ${SECRET}.`,
    tool_calls: [{ id: '1', function: { name: 'bash', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: '1', content: 'unknown tool bash' },
];

it('a transcript becomes signals, signals become scores, and none of the text is kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'renown-'));
  const data = join(folder, 'ledger.duckdb');
  const file = join(folder, 'chat.jsonl');
  writeFileSync(file, TRANSCRIPT.map((message) => JSON.stringify(message)).join('\n'));
  const run = (...args: string[]) => renown(args, { env: { RENOWN_DATA: data } });
  run('orgs', 'create', 'acme');

  const extracted = JSON.parse(run('signals', 'extract', file, '--session', 's1').stdout);
  expect(extracted.traces).toEqual([
    {
      session_id: 's1',
      trace_id: 'turn-1',
      signals: { confidence: 1, loop_detection: 1, tool_correctness: 0, coherence: 1 },
      source:
        'confidence@2 of 1 sentences, loop_detection@2 of 2 steps, tool_correctness@2 of 1 known outcomes, coherence@1 of 6 words',
    },
  ]);
  const saved = run('signals', 'extract', file, '--session', 's1', '--agent', 'importer', '--save');
  expect(JSON.parse(saved.stdout)).toEqual({ accepted: 1, unchanged: 0 });
  expect(readFileSync(data).includes('4711-0815')).toBe(false);

  expect(JSON.parse(run('run', 'start', '--agent', 'importer', '--dry-run').stdout)).toMatchObject({
    sessions: 1,
    traces: 1,
  });
  const started = JSON.parse(
    run('run', 'start', '--agent', 'importer', '--thresholds', 'agent_reliability=0.1').stdout,
  );
  expect(started).toMatchObject({ state: 'completed', progress: { selected: 1, evaluated: 1 } });
  const scores = run('run', 'scores', started.run_id)
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(scores.map(({ metric, passed }) => [metric, passed])).toEqual([
    ['agent_reliability', true],
    ['agent_consistency', true],
  ]);
  const shown = JSON.parse(run('session', 'show', 's1').stdout);
  expect(shown).toMatchObject({ agent_id: 'importer', quadrant: 'safe and smooth' });
  expect(shown.scores[0].metadata.flagged_traces).toEqual(['turn-1']);

  const monitor = JSON.parse(run('monitor', 'create', '--name', 'Nightly', '--cadence', 'daily').stdout);
  expect(JSON.parse(run('monitor', 'pause', monitor.monitor_id).stdout).state).toBe('paused');
  expect(JSON.parse(run('monitor', 'trigger', monitor.monitor_id).stdout)).toMatchObject({
    state: 'completed',
  });
  expect(run('monitor', 'runs', monitor.monitor_id).stdout.trim().split('\n')).toHaveLength(1);
  expect(run('run', 'list').stdout.trim().split('\n')).toHaveLength(2);

  expect(run('session', 'show', 'unknown').exit).toBe(3);
  expect(run('run', 'start').stderr).toContain('--sessions');
  expect(run('monitor', 'create', '--name', 'x', '--cadence', 'hourly').stderr).toContain('cadence');
}, 120_000);

it('a judge that fails leaves its signals absent, and is counted', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'renown-')), 'chat.jsonl');
  writeFileSync(file, TRANSCRIPT.map((message) => JSON.stringify(message)).join('\n'));
  const env = { RENOWN_JUDGE_URL: 'http://127.0.0.1:9/v1', RENOWN_JUDGE_MODEL: 'small' };
  const { stdout, stderr } = renown(['signals', 'extract', file], { env });
  expect(JSON.parse(stdout).traces[0]).toMatchObject({
    signals: { loop_detection: 1 },
    source: 'loop_detection@2 of 2 steps',
  });
  expect(Object.keys(JSON.parse(stdout).traces[0].signals)).toEqual(['loop_detection']);
  expect(stderr).toContain('The judge gave no answer: unreachable 1.');
});
