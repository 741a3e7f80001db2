/** The window of an agent for looking at: each evaluation in short, and what each gate said to them. */
import { toTime } from '../core/contract/fields.ts';
import type { StoredEvaluation } from '../store/store.ts';
import type { Caller, ServiceContext } from './context.ts';
import { readWindow } from './counting-evaluations.ts';

interface GateTally {
  passed: number;
  failed: number;
  not_run: number;
  last_failure: { at: string; evaluation_id: string; reason: string | null } | null;
}

/** Evaluations oldest first; of gates the one that failed most. */
export async function readWindowWire(context: ServiceContext, { orgId }: Caller, agentId: string) {
  const window = await readWindow(context, orgId, agentId);
  const gates = [...tallyGates(window)].map(([name, tally]) => ({ name, ...tally }));
  return {
    agent_id: agentId,
    items: window.map((one) => ({
      evaluation_id: one.evaluationId,
      passed: one.passed,
      tool: one.tool,
      total_latency_ms: one.totalLatencyMs,
      latency_ms: one.latencyMs,
      known_as: one.knownAs,
      received_at: toTime(one.receivedAt),
      failed_gates: one.gates.flatMap(({ name, outcome }) => (outcome === 'failed' ? [name] : [])),
    })),
    gates: gates.sort((a, b) => b.failed - a.failed || (a.name < b.name ? -1 : 1)),
  };
}

function tallyGates(window: readonly StoredEvaluation[]): Map<string, GateTally> {
  const tallies = new Map<string, GateTally>();
  for (const { evaluationId, receivedAt, gates } of window) {
    for (const { name, outcome, reason } of gates) {
      const tally = tallies.get(name) ?? { passed: 0, failed: 0, not_run: 0, last_failure: null };
      tallies.set(name, tally);
      if (outcome === 'passed') tally.passed++;
      else if (outcome === 'failed') {
        tally.failed++;
        tally.last_failure = { at: toTime(receivedAt), evaluation_id: evaluationId, reason };
      } else tally.not_run++;
    }
  }
  return tallies;
}
