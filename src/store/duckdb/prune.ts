/** Retention: what is older than a policy allows goes in one transaction, as if all of it had gone at one moment. */
import { LIMITS } from '../../core/limits.ts';
import type { Pruned, Retention } from '../store.ts';
import { FROM_EVALUATIONS } from './evaluations.ts';
import { joinStoredHeads, pruneTelemetry } from './telemetry-upkeep.ts';
import type { Transaction } from './transaction.ts';
import type { UpkeepContext } from './upkeep-context.ts';

export function prune(context: UpkeepContext, policy: Retention, now: number): Promise<Pruned> {
  return context.evaluations.queue.write(async (transaction) => {
    /** How many went of what has a limit that reaches back so far. */
    const remove = (ageMs: number | null, removeBefore: (before: number) => Promise<number>) =>
      ageMs === null ? 0 : removeBefore(now - ageMs);
    // A place that was given out is not given out again, though nothing is there any more.
    await context.places.keep(transaction);
    const evaluations =
      policy.evaluationsMs === null
        ? NOTHING_REMOVED
        : await removeEvaluations(transaction, context, now - policy.evaluationsMs);
    const pruned: Pruned = {
      evaluations: evaluations.removed,
      reputationEvents: await remove(policy.reputationEventsMs, async (before) => {
        await transaction.run(`DELETE FROM moved_events WHERE timestamp < ${before}`);
        const removed = await removeCounted(transaction, `reputation_events WHERE timestamp < ${before}`);
        await context.identities.runs.regather(transaction, before);
        return removed;
      }),
      auditEntries: await remove(policy.auditMs, (before) =>
        removeCounted(transaction, `audit WHERE happened_at < ${before}`),
      ),
      signalReports: await remove(policy.signalsMs, (before) =>
        removeCounted(
          transaction,
          `signal_reports WHERE (org_no, session_id) IN (
             SELECT (org_no, session_id) FROM signal_reports GROUP BY org_no, session_id HAVING max(received_at) < ${before})`,
        ),
      ),
      sessionScores: await remove(policy.sessionScoresMs, (before) =>
        removeCounted(transaction, `session_scores WHERE computed_at < ${before}`),
      ),
      sessionEvents: await remove(policy.sessionEventsMs, (before) => pruneTelemetry(transaction, before)),
    };
    // Heads of one session pile up as it is told of; whenever there is retention, they become one.
    await joinStoredHeads(transaction, context.telemetry);
    return () => {
      evaluations.finish();
      context.telemetry.recent.clear();
      return pruned;
    };
  });
}

const NOTHING_REMOVED = { removed: 0, finish: () => undefined };

async function removeCounted(transaction: Transaction, which: string): Promise<number> {
  return (await transaction.query(`DELETE FROM ${which} RETURNING 1`)).length;
}

async function removeEvaluations(
  transaction: Transaction,
  { evaluations: { windows, directory } }: UpkeepContext,
  before: number,
): Promise<{ removed: number; finish: () => void }> {
  const removed = await pruneEvaluations(transaction, before);
  const forgotten = new Map(removed.map(({ agentNo, counting }) => [agentNo, counting]));
  // Their lifetime counts were in the rows that are gone, as far as they lie beyond the watermark.
  const saved = await windows.save(transaction, [...forgotten.keys()]);
  return {
    removed: removed.reduce((sum, agent) => sum + agent.removed, 0),
    finish() {
      saved();
      for (const entry of [...directory.all()]) {
        const prunedEvaluations = entry.prunedEvaluations + (forgotten.get(entry.agentNo) ?? 0);
        directory.replace({ ...entry, prunedEvaluations });
      }
    },
  };
}

/** Removes old evaluations but for those in a window, and keeps their number with the agent. */
async function pruneEvaluations(transaction: Transaction, before: number) {
  await transaction.run(`
    CREATE OR REPLACE TEMP TABLE doomed AS
    SELECT seq, agent_no, counting FROM (
      SELECT seq, agent_no, received_at, counting,
        row_number() OVER (PARTITION BY agent_no, counting ORDER BY seq DESC) AS place
      FROM (SELECT e.seq, agent_no, received_at, counts AND v.seq IS NULL AS counting ${FROM_EVALUATIONS})
    ) WHERE received_at < ${before} AND NOT (counting AND place <= ${LIMITS.windowSize})`);
  await transaction.run('DELETE FROM evaluations WHERE seq IN (SELECT seq FROM doomed)');
  await transaction.run('DELETE FROM voids WHERE seq IN (SELECT seq FROM doomed)');
  const removed = await transaction.query<{ agentNo: number; removed: number; counting: number }>(
    `SELECT agent_no AS "agentNo", count(*)::DOUBLE AS removed, count(*) FILTER (counting)::DOUBLE AS counting
     FROM doomed GROUP BY agent_no`,
  );
  await transaction.run(`
    UPDATE agents SET pruned_evaluations = pruned_evaluations + d.counting
    FROM (SELECT agent_no, count(*) FILTER (counting) AS counting FROM doomed GROUP BY agent_no) d
    WHERE d.agent_no = agents.agent_no`);
  await transaction.run('DROP TABLE doomed');
  return removed;
}
