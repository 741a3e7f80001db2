/** Looks after every org of a server: watches its agents, sends the alerts that are due, and exports verdicts. */
import { LIMITS } from '../../core/limits.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { exportVerdicts } from '../otlp/exporter.ts';
import { raiseTestAlert } from './alerts.ts';
import { type DeliveryOptions, deliverDue } from './deliveries.ts';
import { Watcher } from './watcher.ts';

/** Every node looks so often; most of the time there is nothing, which one small reading tells. */
const LOOK_EVERY_MS = 2_000;

export type AlertOptions = Pick<DeliveryOptions, 'isAllowed' | 'log' | 'resolve'> & {
  log: { error(what: object, message: string): void };
  /** Where verdicts are exported to; nowhere when absent. */
  exporting?: { url: string; version: string };
};

export function createAlertStation(context: ServiceContext, given: AlertOptions) {
  const options = { ...given, timeoutMs: LIMITS.webhookTimeoutMs };
  const watchers = new Map<string, Watcher>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;

  async function look(): Promise<void> {
    for (const { orgId } of await context.store.orgs.list()) {
      const watcher = watchers.get(orgId) ?? new Watcher(context, orgId, given);
      watchers.set(orgId, watcher);
      await watcher.look();
      await deliverDue(context, orgId, options);
      if (given.exporting) await tryExport(orgId, given.exporting);
    }
  }

  /** A collector that is away must not keep alerts from going out. */
  async function tryExport(orgId: string, exporting: { url: string; version: string }): Promise<void> {
    try {
      await exportVerdicts(context, orgId, { ...exporting, timeoutMs: LIMITS.webhookTimeoutMs });
    } catch (error) {
      given.log.warn({ error: (error as Error).message }, 'verdicts were not exported');
    }
  }

  /** One round at a time: whoever asks during one is answered by it. */
  function once(): Promise<void> {
    round ??= look()
      .catch((error: Error) => given.log.error({ error: error.name }, 'watching failed'))
      .finally(() => {
        round = null;
      });
    return round;
  }

  return {
    look: once,
    start() {
      timer = setInterval(once, LOOK_EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      await round;
      for (const watcher of watchers.values()) await watcher.stop();
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
