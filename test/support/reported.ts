/** Evaluations as a client reports them, made up in numbers. */
import { expect } from 'vitest';
import type { TestServer } from './server.ts';

export interface Told {
  passed?: boolean;
  version?: string;
  sample_rate?: number;
}

let made = 0;

/** Answers with their ids. */
export async function report(server: TestServer, agent_id: string, told: readonly Told[]): Promise<string[]> {
  const events = told.map(({ passed = true, ...more }) => ({
    evaluation_id: `${agent_id}-${made++}`,
    agent_id,
    passed,
    gates: [{ name: 'content', outcome: passed ? 'passed' : 'failed', latency_ms: 0 }],
    total_latency_ms: 1,
    suite_hash: 'suite-1',
    ...more,
  }));
  const { status } = await server.call('/v1/ingest', { body: { events } });
  expect(status).toBe(202);
  return events.map(({ evaluation_id }) => evaluation_id);
}

export function times(count: number, told: Told = {}): Told[] {
  return Array.from({ length: count }, () => told);
}
