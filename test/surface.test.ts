/** What others rely on, pinned: a change here is a change of the contract and belongs into CHANGELOG.md. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { COMMANDS } from '../src/cli/commands.ts';
import { ERRORS } from '../src/core/errors.ts';
import { renown } from './support/renown.ts';

describe('the package', () => {
  it('has these doors, and each opens on what was built', async () => {
    expect(manifest.exports).toMatchSnapshot();
    const core = await import('renown/core' as string);
    expect(Object.keys(core).sort()).toMatchSnapshot();
    for (const door of ['renown/sdk', 'renown/sdk/node', 'renown/sdk/standalone']) {
      expect(Object.keys(await import(door)).sort(), door).toMatchSnapshot();
    }
    expect(Object.keys((await import('renown/sdk' as string)).gates).sort()).toMatchSnapshot();
  });

  it('runs on the Node it names, under its licence, with its dependencies pinned', () => {
    expect(manifest.engines).toEqual({ node: '>=20' });
    expect(manifest.license).toBe('Apache-2.0');
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+/.test(version))).toEqual([]);
  });
});

describe('the errors', () => {
  it('are this closed table', () => {
    expect(ERRORS).toMatchSnapshot();
  });

  it('each have a heading in the reference, with the same status and exit code', () => {
    const page = readFileSync(new URL('../docs/reference/errors.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^## `(\w+)`\n+HTTP (\d+) · exit (\d+)$/gm)].map(
      ([, code, status, exit]) => ({
        code,
        status: Number(status),
        exit: Number(exit),
      }),
    );
    expect(documented).toEqual(
      Object.entries(ERRORS).map(([code, { status, exit }]) => ({ code, status, exit })),
    );
  });
});

describe('the command line', () => {
  it('has this overview', () => {
    expect(renown(['--help'])).toMatchSnapshot();
  });

  it.each(COMMANDS.map(({ name }) => name))('has this help for %s', (name) => {
    expect(renown([name, '--help'])).toMatchSnapshot();
  });

  it('prints the version of the package', () => {
    expect(renown(['--version']).stdout).toBe(`${manifest.version}\n`);
  });
});

describe('the JSON of a score', () => {
  const traces = [
    {
      trace_id: 't1',
      signals: { confidence: 0.9, loop_detection: 1, tool_correctness: 0.2, coherence: 0.7 },
    },
    { trace_id: 't2', signals: { confidence: 0.6 } },
  ];

  it.each([
    [
      'reputation',
      { evaluations: [[true, 3], [false, 5], { passed: true, latency_ms: 2, agent_latency_ms: 900 }] },
    ],
    ['reputation', { evaluations: [] }],
    ['agent_reliability', { traces }],
    ['agent_reliability', { traces: [] }],
    ['agent_consistency', { traces }],
    ['agent_consistency', { traces: [{ trace_id: 't1', signals: { coherence: 1 } }] }],
    [
      'performance',
      {
        counters: {
          total_tools: 9,
          tools_ok: 7,
          prompts: 2,
          duration_min: 12.5,
          total_tokens: 1000,
          cache_tokens: 600,
        },
      },
    ],
    [
      'identity',
      {
        now: 1_780_000_000_000,
        events: [{ timestamp: 1_779_000_000_000, category: 'economic', score_delta: 0.5 }],
      },
    ],
  ])('%s of %j', (metric, input) => {
    const { stdout } = renown(['score', metric], { input: JSON.stringify(input) });
    expect(JSON.parse(stdout)).toMatchSnapshot();
  });
});
