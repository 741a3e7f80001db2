/**
 * Removes what is older than the configuration allows: once at the start, and then every day; and signatures that could
 * not be sent again anyway, every few minutes, because each signed batch looks through them.
 */
import type { ServiceContext } from './context.ts';
import { expireEvidence } from './expire-evidence.ts';
import { expireClaims } from './signatures.ts';

export interface RetentionDays {
  keepEvaluationsDays: number;
  keepReputationEventsDays: number;
  keepAuditDays: number;
  keepSessionEventsDays: number;
  keepSignalsDays: number;
  keepSessionScoresDays: number;
}

interface Log {
  info(what: object, message: string): void;
  error(what: object, message: string): void;
}

const DAY_MS = 86_400_000;
const CLAIMS_EVERY_MS = 5 * 60_000;

export function createRetention(context: ServiceContext, days: RetentionDays, log: Log) {
  const policy = {
    evaluationsMs: toMs(days.keepEvaluationsDays),
    reputationEventsMs: toMs(days.keepReputationEventsDays),
    auditMs: toMs(days.keepAuditDays),
    sessionEventsMs: toMs(days.keepSessionEventsDays),
    signalsMs: toMs(days.keepSignalsDays),
    sessionScoresMs: toMs(days.keepSessionScoresDays),
  };
  const timers: NodeJS.Timeout[] = [];
  async function prune(): Promise<void> {
    try {
      const pruned = await context.store.upkeep.prune(policy, context.clock());
      log.info({ ...pruned, evidence: await expireEvidence(context) }, 'pruned');
    } catch (error) {
      // Tomorrow is another day; what is under way matters more.
      log.error({ error: (error as Error).name }, 'pruning failed');
    }
  }
  return {
    async start() {
      await prune();
      timers.push(
        setInterval(prune, DAY_MS),
        // What is left behind goes with the next round.
        setInterval(() => expireClaims(context).catch(() => undefined), CLAIMS_EVERY_MS),
      );
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

function toMs(days: number): number | null {
  return days === 0 ? null : days * DAY_MS;
}
