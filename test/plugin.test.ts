/** The Claude Code plugin: its manifest, and its commands by running what they run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };

const PLUGIN = fileURLToPath(new URL('../plugin', import.meta.url));
const FIXTURES = fileURLToPath(new URL('./fixtures/telemetry', import.meta.url));
const SESSION =
  /"session\.id","value":\{"stringValue":"([^"]+)"/.exec(
    readFileSync(join(FIXTURES, 'claude-code.jsonl'), 'utf8'),
  )?.[1] ?? '';

/** Runs a command line in a folder that has a collector's file where collectors put it. */
function bash(line: string, env: object = {}) {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], {
    cwd: folderWithLogs(),
    encoding: 'utf8',
    env: {
      ...process.env,
      CLAUDE_PLUGIN_ROOT: PLUGIN,
      RENOWN_CACHE: mkdtempSync(join(tmpdir(), 'renown-cache-')),
      ...env,
    },
  });
  return { status, stdout, stderr };
}

function folderWithLogs(): string {
  const folder = mkdtempSync(join(tmpdir(), 'renown-plugin-'));
  spawnSync('mkdir', ['-p', join(folder, 'services/collector/data'), join(folder, '.claude')]);
  spawnSync('cp', [join(FIXTURES, 'claude-code.jsonl'), join(folder, 'services/collector/data/logs.jsonl')]);
  writeFileSync(
    join(folder, 'masque.yaml'),
    'active: {name: Codesmith, source: private, donned_at: 2026-01-01T00:00:00Z}\n',
  );
  return folder;
}

describe('the plugin', () => {
  it('has a manifest that Claude Code accepts, with the version of the package', () => {
    const plugin = JSON.parse(readFileSync(join(PLUGIN, '.claude-plugin/plugin.json'), 'utf8'));
    expect(plugin).toMatchObject({
      name: expect.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)*$/),
      version: manifest.version,
      description: expect.any(String),
    });
    expect(
      Object.keys(plugin).filter(
        (key) => !['name', 'version', 'description', 'license', 'keywords'].includes(key),
      ),
    ).toEqual([]);
    expect(manifest.files).toContain('plugin');
  });

  const commands = readdirSync(join(PLUGIN, 'commands'));
  it.each(commands)(
    'has a command %s whose head says what it is for, and which may run what it runs',
    (name) => {
      const text = readFileSync(join(PLUGIN, 'commands', name), 'utf8');
      const head = parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '');
      expect(head.description).toEqual(expect.any(String));
      const lines = [...text.matchAll(/!`([^`]+)`/g)].map(([, line]) => line ?? '');
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toMatch(/^bash /);
      expect(head['allowed-tools']).toBe('Bash(bash:*)');
    },
  );

  const performance = (args: string) => {
    const text = readFileSync(join(PLUGIN, 'commands/performance.md'), 'utf8');
    const [, line = ''] = /!`([^`]+)`/.exec(text) ?? [];
    return bash(line.replace('$ARGUMENTS', args));
  };

  it('runs `/performance` on the newest session, and on one that is named', () => {
    for (const args of ['', SESSION]) {
      const { status, stdout } = performance(args);
      expect(status).toBe(0);
      expect(parse(stdout)).toMatchObject({ composite: 6.4, session: { session_id: SESSION } });
    }
    expect(performance('nobody')).toMatchObject({ status: 3, stdout: '' });
  });

  it('runs `/reputation` on Claude Code, and on an agent that is named', () => {
    const text = readFileSync(join(PLUGIN, 'commands/reputation.md'), 'utf8');
    const [, line = ''] = /!`([^`]+)`/.exec(text) ?? [];
    const make = 'node "$CLAUDE_PLUGIN_ROOT/../bin/renown.js" orgs create default >/dev/null';
    for (const [args, agentId] of [
      ['', 'claude-code'],
      ['support-bot', 'support-bot'],
    ] as const) {
      const { status, stdout } = bash(`${make} && ${line.replace('$ARGUMENTS', args)}`);
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        agent: { agent_id: agentId },
        scores: { reputation: { score: 0 }, performance: null },
      });
    }
  });

  it('has a judge.sh that takes the arguments of the script it replaces', () => {
    const judged = (args: string) => parse(bash(`bash "$CLAUDE_PLUGIN_ROOT/judge.sh" ${args}`).stdout);
    expect(judged('')).toMatchObject({ masque: 'none', composite: 6.4 });
    expect(judged('services/collector/data/logs.jsonl')).toMatchObject({ masque: 'none' });
    expect(judged('services/collector/data/logs.jsonl masque.yaml')).toMatchObject({ masque: 'Codesmith' });
    expect(judged('services/collector/data/logs.jsonl absent.yaml')).toMatchObject({ masque: 'none' });
  });

  it('says what to install where there is no renown', () => {
    const { status, stderr } = bash(
      'cp -r "$CLAUDE_PLUGIN_ROOT" alone/ && PATH=/usr/bin:/bin bash alone/judge.sh',
      {},
    );
    expect({ status, stderr }).toMatchObject({
      status: 127,
      stderr: expect.stringContaining('npm install -g renown'),
    });
  });
});
