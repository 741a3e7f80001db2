/** What a verdict on a session gives reason to tell: that it should be doffed, or that its telemetry says less than it used to. */
import { LIMITS } from '../../core/limits.ts';
import type { StoredVerdict } from '../../store/store.ts';
import type { ServiceContext } from '../context.ts';
import { type AlertLog, raiseAlert } from './alerts.ts';

/** To be called when a session was judged by itself. */
export async function tellOfSession(
  context: ServiceContext,
  { orgId, sessionId }: { orgId: string; sessionId: string },
  log: AlertLog,
): Promise<void> {
  for (const verdict of await context.store.verdicts.latestOf(orgId, [sessionId])) {
    const { composite, tools } = verdict;
    if (verdict.recommendation === 'doff' && tools > 0) {
      const message = `The session ${sessionId} of ${verdict.agentId ?? 'nobody'} should be doffed: ${composite} of 10.`;
      const data = { agent_id: verdict.agentId, masque: verdict.masque, composite, tools };
      const alert = { kind: 'session_doffed' as const, subject: sessionId, message, data };
      await raiseAlert(context, orgId, { alert, log });
    }
    await tellOfLoss(context, { orgId, verdict, log });
  }
}

/** Something is missing that the agent's earlier sessions always told: an update or a setting has silenced it. */
async function tellOfLoss(
  context: ServiceContext,
  { orgId, verdict, log }: { orgId: string; verdict: StoredVerdict; log: AlertLog },
): Promise<void> {
  const { agentId, startedAt } = verdict;
  if (agentId === null) return;
  const earlier = await context.store.verdicts.list(
    orgId,
    { agentId, before: startedAt, toolsMin: 1 },
    LIMITS.baselineSessionsMin,
  );
  if (earlier.length < LIMITS.baselineSessionsMin) return;
  const lost = missingIn(verdict).filter(
    (input) => !earlier.some((other) => missingIn(other).includes(input)),
  );
  if (lost.length === 0) return;
  const message = `The telemetry of ${agentId} no longer tells ${lost.join(', ')}, as its last ${earlier.length} sessions did.`;
  const data = { session_id: verdict.sessionId, lost: lost.join(', ') };
  await raiseAlert(context, orgId, {
    alert: { kind: 'coverage_lost', subject: agentId, message, data },
    log,
  });
}

function missingIn({ details }: StoredVerdict): readonly string[] {
  return (details as { missing_inputs?: readonly string[] }).missing_inputs ?? [];
}
