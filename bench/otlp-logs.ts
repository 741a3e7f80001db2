/** Claude Code's logs as a collector writes them: about 1 kB a record, 50 records a line, sessions that overlap. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { createRandom } from '../src/core/stats/random.ts';

const RECORDS_PER_LINE = 50;
const RECORDS_PER_SESSION = 250;
/** How many agents work at the same time. */
const AT_ONCE = 8;
const START_MS = Date.UTC(2026, 9, 1);
const TOOLS = ['Bash', 'Read', 'Edit', 'Grep', 'Write', 'WebFetch'];

interface Session {
  id: string;
  sequence: number;
  prompt: string;
}

/** Writes at least so many bytes; the same seed gives the same file. Answers with what it wrote. */
export function writeLogs(
  path: string,
  bytes: number,
  seed = 1,
): { bytes: number; records: number; sessions: number } {
  const file = openSync(path, 'w');
  const counts = { bytes: 0, records: 0, sessions: 0 };
  for (const { request, sessions } of logRequests(RECORDS_PER_LINE, seed)) {
    counts.bytes += writeSync(file, `${JSON.stringify(request)}\n`);
    counts.records += RECORDS_PER_LINE;
    counts.sessions = sessions;
    if (counts.bytes >= bytes) break;
  }
  closeSync(file);
  return counts;
}

/** Export requests without end, with how many sessions there were so far. */
export function* logRequests(
  recordsPerRequest: number,
  seed = 1,
): Generator<{ request: object; sessions: number }> {
  const random = createRandom(seed);
  let sessions = 0;
  let now = START_MS;
  const open = (): Session => {
    sessions++;
    return { id: uuid(random), sequence: 0, prompt: uuid(random) };
  };
  const active = Array.from({ length: AT_ONCE }, open);
  for (;;) {
    const logRecords = Array.from({ length: recordsPerRequest }, () => {
      const at = Math.floor(random() * AT_ONCE);
      if ((active[at] as Session).sequence >= RECORDS_PER_SESSION) active[at] = open();
      now += 40 + Math.floor(random() * 400);
      return record(active[at] as Session, now, random);
    });
    yield { request: batch(logRecords), sessions };
  }
}

function batch(logRecords: object[]): object {
  const resource = {
    attributes: toAttributes({
      'service.name': 'claude-code',
      'service.version': '2.1.325',
      'os.type': 'linux',
      'os.version': '6.8.0',
      'host.arch': 'arm64',
    }),
  };
  return {
    resourceLogs: [
      {
        resource,
        scopeLogs: [{ scope: { name: 'com.anthropic.claude_code.events', version: '2.1.325' }, logRecords }],
      },
    ],
  };
}

function record(session: Session, at: number, random: () => number): object {
  const [name, own] = event(session, random);
  const time = `${at}000000`;
  const attributes = toAttributes({
    'user.id': '3c1f0b5be2a84ad28e7d8a40f4a83a2b',
    'session.id': session.id,
    'organization.id': '0f2b8c1e-52cf-4f5d-9c37-2f6a6b5b8a11',
    'event.name': name,
    'event.timestamp': new Date(at).toISOString(),
    'event.sequence': session.sequence++,
    'prompt.id': session.prompt,
    ...own,
  });
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    body: { stringValue: `claude_code.${name}` },
    attributes,
    droppedAttributesCount: 0,
    flags: 0,
    traceId: '',
    spanId: '',
  };
}

function event(session: Session, random: () => number): [string, Record<string, string | number>] {
  const kind = random();
  const tool = TOOLS[Math.floor(random() * TOOLS.length)] as string;
  if (session.sequence === 0 || kind < 0.05) {
    session.prompt = uuid(random);
    return ['user_prompt', { prompt_length: '120', prompt: '<REDACTED>' }];
  }
  if (kind < 0.35) {
    return [
      'api_request',
      {
        model: 'claude-opus-4-8',
        input_tokens: '12',
        output_tokens: `${Math.floor(random() * 900)}`,
        cache_read_tokens: `${Math.floor(random() * 60_000)}`,
        cache_creation_tokens: `${Math.floor(random() * 4_000)}`,
        cost_usd: (random() / 10).toFixed(6),
        duration_ms: '3120',
        request_id: `req_${uuid(random)}`,
        query_source: 'repl_main_thread',
        speed: 'normal',
      },
    ];
  }
  if (kind < 0.6)
    return [
      'tool_decision',
      { tool_name: tool, tool_use_id: `toolu_${uuid(random)}`, decision: 'accept', source: 'config' },
    ];
  if (kind < 0.62)
    return [
      'api_error',
      {
        model: 'claude-opus-4-8',
        error: 'Overloaded',
        status_code: '529',
        attempt: '3',
        duration_ms: '9120',
      },
    ];
  if (kind < 0.72)
    return [
      'hook_execution_complete',
      { hook_event: 'PostToolUse', num_hooks: '1', total_duration_ms: '12' },
    ];
  return [
    'tool_result',
    {
      tool_name: tool,
      tool_use_id: `toolu_${uuid(random)}`,
      success: random() < 0.9 ? 'true' : 'false',
      duration_ms: '54',
      decision_type: 'accept',
      decision_source: 'config',
      tool_result_size_bytes: '2048',
      tool_parameters:
        '{"bash_command":"npm","full_command":"npm test -- --reporter \\"dot\\"","description":"Run the tests"}',
    },
  ];
}

function toAttributes(values: Record<string, string | number>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

function uuid(random: () => number): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
