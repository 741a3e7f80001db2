/** Looks after every org of a server: watches its agents, sends the alerts that are due, and exports verdicts. */
import { LIMITS } from '../../core/limits.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { exportScores, exportVerdicts } from '../otlp/exporter.ts';
import { raiseTestAlert } from './alerts.ts';
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
  const options = { ...given, timeoutMs: LIMITS.webhookTimeoutMs };
  const watchers = new Map<string, Watcher>();
  const touched = new Set<string>();
  const endings: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;

  /** Every org, or those where something has arrived on this node. */
  async function look(all: boolean): Promise<void> {
    for (const { orgId } of await context.store.orgs.list()) {
      if (!watchers.has(orgId)) begin(orgId);
      else if (!all && !touched.has(orgId)) continue;
      touched.delete(orgId);
      await watchers.get(orgId)?.look();
      await deliverDue(context, orgId, options);
      if (given.exporting) await tryExport(orgId, given.exporting);
    }
  }

  function begin(orgId: string): void {
    watchers.set(orgId, new Watcher(context, orgId, given));
    endings.push(context.hub.watch(orgId, () => touched.add(orgId)));
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
    /** Looks after every org now. */
    look: () => once(true),
    start() {
      let rounds = 0;
      timer = setInterval(() => once(++rounds % LOOK_AT_ALL_EVERY === 0), LOOK_EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      for (const end of endings) end();
      await round;
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
