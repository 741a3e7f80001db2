/** Each fixture against figures worked out by hand; test/fixtures/telemetry/README.md says where each comes from. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeText, read } from '../support/judge-session.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/telemetry/${name}.jsonl`, import.meta.url), 'utf8');

const CASES = [
  {
    // Three requests of 10 + 20 + 60 + 10 tokens; Bash went well, Read did not.
    name: 'claude-code',
    agent: 'claude-code',
    stats: {
      total_cost: 0.0019,
      total_tools: 2,
      tools_ok: 1,
      tool_success_pct: 50,
      prompts: 1,
      total_tokens: 300,
      cache_tokens: 180,
    },
    missing: [],
    signals: { errors: 0, rejected_tools: 0, longest_failure_run: 1, unrecovered: true },
    tools: { Bash: { calls: 1, ok: 1 }, Read: { calls: 1, ok: 0 } },
  },
  {
    // The same session as its transcript tells it; the cost by the price table: 3·(10·5 + 20·25 + 60·0.5 + 10·6.25) $/M.
    name: 'claude-code-transcript',
    agent: 'claude-code',
    stats: {
      total_cost: 0.0019,
      total_tools: 2,
      tools_ok: 1,
      tool_success_pct: 50,
      prompts: 1,
      total_tokens: 300,
      cache_tokens: 180,
    },
    missing: [],
    signals: { errors: 0, rejected_tools: 0, longest_failure_run: 1, unrecovered: true },
    tools: { Bash: { calls: 1, ok: 1 }, Read: { calls: 1, ok: 0 } },
  },
  {
    // 1000 + 200 and 2000 + 100 tokens, cache inside; shell, and the two commands that `exec` wraps.
    name: 'codex',
    agent: 'codex_cli_rs',
    stats: {
      total_cost: 0.005,
      total_tools: 3,
      tools_ok: 2,
      tool_success_pct: 67,
      prompts: 1,
      total_tokens: 3300,
      cache_tokens: 1600,
    },
    missing: [],
    signals: {
      errors: 1,
      retries: 1,
      rejected_tools: 1,
      longest_failure_run: 1,
      recovery: { times: 1, median_calls: 1, median_seconds: 0.5 },
    },
    tools: { exec_command: { calls: 2, ok: 1 }, shell: { calls: 1, ok: 1 } },
  },
  {
    // 1000 in, 100 out and 50 thoughts beside; 600·0.3 + 400·0.03 + 150·2.5 = 567 $/M. The rejected write_file did not run.
    name: 'gemini-cli',
    agent: 'gemini-cli',
    stats: {
      total_cost: 0.0006,
      total_tools: 3,
      tools_ok: 2,
      tool_success_pct: 67,
      prompts: 2,
      total_tokens: 1150,
      cache_tokens: 400,
    },
    missing: [],
    signals: {
      errors: 1,
      retries: 0,
      rejected_tools: 1,
      compactions: 1,
      loops: 1,
      recovery: { times: 1, median_calls: 1, median_seconds: 40 },
    },
    tools: {
      read_file: { calls: 1, ok: 1 },
      replace: { calls: 1, ok: 1 },
      run_shell_command: { calls: 1, ok: 0 },
    },
  },
  {
    // The total says that thoughts are inside the output; the model has no price.
    name: 'qwen-code',
    agent: 'qwen-code',
    stats: {
      total_cost: 0,
      total_tools: 3,
      tools_ok: 2,
      tool_success_pct: 67,
      prompts: 2,
      total_tokens: 1100,
      cache_tokens: 400,
    },
    missing: ['total_cost'],
    signals: { errors: 1, retries: 1, rejected_tools: 1, compactions: 1, loops: 1 },
    tools: {
      read_file: { calls: 1, ok: 1 },
      replace: { calls: 1, ok: 1 },
      run_shell_command: { calls: 1, ok: 0 },
    },
  },
  {
    name: 'copilot',
    agent: 'copilot',
    stats: {
      total_cost: 0.04,
      total_tools: 2,
      tools_ok: 1,
      tool_success_pct: 50,
      prompts: 1,
      total_tokens: 1100,
      cache_tokens: 700,
    },
    missing: [],
    signals: { errors: 0, compactions: 1, unrecovered: true },
    tools: { readFile: { calls: 1, ok: 1 }, runCommand: { calls: 1, ok: 0 } },
  },
  {
    // The plugin counts input apart from the cache: 50 + 100 + 700 + 150. The spans of the SDK tell the same again.
    name: 'opencode',
    agent: 'opencode',
    stats: {
      total_cost: 0.02,
      total_tools: 2,
      tools_ok: 1,
      tool_success_pct: 50,
      prompts: 1,
      total_tokens: 1000,
      cache_tokens: 700,
    },
    missing: [],
    signals: { errors: 1, rejected_tools: 1, unrecovered: true },
    tools: { bash: { calls: 1, ok: 1 }, edit: { calls: 1, ok: 0 } },
  },
  {
    // 550 under the old names and 1100 under the new; 300·2 + 200·0.5 + 50·8 and 300·2 + 600·0.5 + 100·2 + 100·8 $/M.
    name: 'genai',
    agent: 'planner',
    stats: {
      total_cost: 0.003,
      total_tools: 2,
      tools_ok: 1,
      tool_success_pct: 50,
      prompts: 2,
      total_tokens: 1650,
      cache_tokens: 800,
    },
    missing: [],
    signals: { errors: 0, unrecovered: true },
    tools: { fetch: { calls: 1, ok: 0 }, search: { calls: 1, ok: 1 } },
  },
];

describe.each(CASES)('the dialect of $name', ({ name, agent, stats, missing, signals, tools }) => {
  it('gives the figures that were worked out by hand', () => {
    const [verdict, ...others] = judgeText(fixture(name));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({ stats, missing_inputs: missing, signals, session: { agent_id: agent } });
    expect(verdict?.tool_mix).toEqual(tools);
  });

  it('gives the same session twice over, shuffled and in halves', () => {
    const once = judgeText(fixture(name));
    const pieces = recordsApart(fixture(name));
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: pieces.length, maxLength: pieces.length }),
        fc.nat(),
        (keys, half) => {
          const shuffled = pieces.map((piece, i) => [keys[i] ?? 0, piece] as const).sort(([a], [b]) => a - b);
          const again = pieces.slice(0, half % pieces.length);
          expect(judgeText([...shuffled.map(([, piece]) => piece), ...again].join('\n'))).toEqual(once);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('a session with its telemetry and its transcript', () => {
  it('is one session: the telemetry tells of tokens, cost and prompts, and tool calls meet under their id', () => {
    const [alone] = judgeText(fixture('claude-code'));
    const [both, ...others] = judgeText(fixture('claude-code-transcript') + fixture('claude-code'));
    expect(others).toEqual([]);
    expect(both?.stats).toEqual(alone?.stats);
    expect(both?.cost).toMatchObject({ priced_usd: 0 });
    expect(both?.session.entrypoint).toBe('sdk-cli');
  });

  it('is one session also when only the telemetry names the masque, and tells nothing again when it names two', () => {
    const worn = (masque: string) =>
      fixture('claude-code').replaceAll(
        '{"key":"session.id"',
        `{"key":"masque","value":{"stringValue":"${masque}"}},{"key":"session.id"`,
      );
    const [alone] = judgeText(worn('scout'));
    expect(alone?.masque).toBe('scout');
    const [both, ...others] = judgeText(fixture('claude-code-transcript') + worn('scout'));
    expect(others).toEqual([]);
    expect(both).toMatchObject({ masque: 'scout', stats: alone?.stats, signals: alone?.signals });
    expect(both?.session.dialects).toEqual(['claude-code', 'transcript']);
    const two = judgeText(fixture('claude-code-transcript') + worn('scout') + worn('smith'));
    expect(two.map(({ masque }) => masque).sort()).toEqual(['scout', 'smith']);
  });
});

describe('records that name no session', () => {
  it('are counted and not guessed', () => {
    expect(read(fixture('codex')).reading).toMatchObject({ withoutSession: 1, unknown: 0 });
    expect(read(fixture('genai')).reading).toMatchObject({ withoutSession: 1, unknown: 0 });
  });
});

/** A batch for each record, so that records can be shuffled and not only lines. */
function recordsApart(text: string): string[] {
  return text
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const batch = JSON.parse(line);
      const [kind] = ['Logs', 'Spans', 'Metrics'].filter((name) => batch[`resource${name}`]);
      if (!kind) return [line];
      const items = { Logs: 'logRecords', Spans: 'spans', Metrics: 'metrics' }[kind] as string;
      type Scope = Record<string, unknown[]>;
      return (batch[`resource${kind}`] as Record<string, Scope[]>[]).flatMap((resource) =>
        (resource[`scope${kind}`] ?? []).flatMap((scope) =>
          (scope[items] ?? []).map((item) =>
            JSON.stringify({
              [`resource${kind}`]: [{ ...resource, [`scope${kind}`]: [{ ...scope, [items]: [item] }] }],
            }),
          ),
        ),
      );
    });
}
