/** Looks after every org of a server: watches its agents, sends the alerts that are due, and exports verdicts. */
import { LIMITS } from '../../core/limits.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { exportScores, exportVerdicts } from '../otlp/exporter.ts';
import { finishPending, raiseTestAlert } from './alerts.ts';
import { type DeliveryOptions, deliverDue } from './deliveries.ts';
import { Watcher } from './watcher.ts';

const LOOK_EVERY_MS = 2_000;
/** Other nodes write without telling this one's hub, and retries come due by themselves: every half minute all orgs have a turn. */
const LOOK_AT_ALL_EVERY = 15;

export type AlertOptions = Pick<DeliveryOptions, 'isAllowed' | 'log' | 'resolve'> & {
  log: { error(what: object, message: string): void };
  /** Where verdicts are exported to; nowhere when absent. */
  exporting?: { url: string; version: string };
};

export function createAlertStation(context: ServiceContext, given: AlertOptions) {
  const stopping = new AbortController();
  const options = { ...given, timeoutMs: LIMITS.webhookTimeoutMs, stopping: stopping.signal };
  const watchers = new Map<string, Watcher>();
  const touched = new Set<string>();
  const stopTouching = context.hub.watchAll((orgId) => touched.add(orgId));
  /** What is on its way to the webhooks of each org: nobody waits for a receiver of another. */
  const delivering = new Map<string, Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;

  /** Every org, or those where something has arrived on this node: one where nothing happens leaves the ledger alone. */
  async function look(all: boolean): Promise<void> {
    const isFirst = watchers.size === 0;
    const orgIds =
      all || isFirst ? (await context.store.orgs.list()).map(({ orgId }) => orgId) : [...touched];
    const next = orgIds.values();
    const worker = async () => {
      for (const orgId of next) await attempt(orgId, () => lookAfter(orgId, all));
    };
    await Promise.all(Array.from({ length: LIMITS.orgsWatchedAtOnce }, worker));
  }

  async function lookAfter(orgId: string, all: boolean): Promise<void> {
    touched.delete(orgId);
    const watcher = watchers.get(orgId) ?? new Watcher(context, orgId, given);
    watchers.set(orgId, watcher);
    await watcher.look();
    if (all) await finishPending(context, orgId, given.log);
    deliver(orgId);
    if (given.exporting) await tryExport(orgId, given.exporting);
  }

  function deliver(orgId: string): void {
    if (delivering.has(orgId)) return;
    const work = attempt(orgId, () => deliverDue(context, orgId, options));
    delivering.set(
      orgId,
      work.finally(() => delivering.delete(orgId)),
    );
  }

  /** What fails for one org is no concern of the others. */
  async function attempt(orgId: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      given.log.error({ org: orgId, error: (error as Error).name }, 'watching failed');
    }
  }

  /** A collector that is away must not keep alerts from going out. */
  async function tryExport(orgId: string, exporting: { url: string; version: string }): Promise<void> {
    try {
      const options = { ...exporting, timeoutMs: LIMITS.webhookTimeoutMs };
      await exportVerdicts(context, orgId, options);
      await exportScores(context, orgId, options);
    } catch (error) {
      given.log.warn({ error: (error as Error).message }, 'verdicts were not exported');
    }
  }

  /** One round at a time: whoever asks during one is answered by it. */
  function once(all: boolean): Promise<void> {
    round ??= look(all)
      .catch((error: Error) => given.log.error({ error: error.name }, 'watching failed'))
      .finally(() => {
        round = null;
      });
    return round;
  }

  return {
    /** Looks after every org now, and waits for what it sends. */
    async look() {
      await once(true);
      await Promise.all(delivering.values());
    },
    start() {
      let rounds = 0;
      timer = setInterval(() => once(++rounds % LOOK_AT_ALL_EVERY === 0), LOOK_EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      stopTouching();
      stopping.abort();
      await round;
      await Promise.all(delivering.values());
      for (const watcher of watchers.values()) {
        // The lease runs out by itself, and what was not written down is watched again.
        await watcher.stop().catch((error: Error) => given.log.error({ error: error.name }, 'stopped short'));
      }
    },
  };
}

/** A test alert to every webhook of an org, attempted at once. */
export async function testAlerts(context: ServiceContext, caller: Caller, given: AlertOptions) {
  const alertId = await raiseTestAlert(context, caller, given.log);
  const options = { ...given, timeoutMs: LIMITS.webhookTimeoutMs, alertId };
  const deliveries = await deliverDue(context, caller.orgId, options);
  return {
    alert_id: alertId,
    deliveries: deliveries.map(({ webhookId, delivered, detail }) => ({
      webhook_id: webhookId,
      delivered,
      detail,
    })),
  };
}
