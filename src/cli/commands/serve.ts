import { pino } from 'pino';
import { packageVersion } from '../../package/package-version.ts';
import { flagOf, printable, readConfiguration, SETTINGS, storeUrl } from '../../server/configuration.ts';
import { type Serving, serve as startServer } from '../../server/serve.ts';
import { createOrg } from '../../service/accounts.ts';
import { fillDemo } from '../../service/demo.ts';
import { openStore } from '../../store/open-store.ts';
import type { Command, CommandInput } from '../command.ts';
import { readConfigurationFile } from '../configuration-file.ts';
import type { Io } from '../io.ts';

export const serve: Command = {
  usage: 'serve [options]',
  arguments: [],
  options: [
    ...Object.values(SETTINGS).map((setting) => ({
      name: flagOf(setting),
      type: 'string' as const,
      summary: setting.summary,
    })),
    { name: 'config', type: 'string', summary: 'The configuration file; renown.yaml when there is one' },
    { name: 'demo', type: 'boolean', summary: 'Fill an empty store with a month of five agents, to look at' },
    { name: 'print-config', type: 'boolean', summary: 'Print the configuration, secrets masked, and end' },
  ],
  examples: [
    { says: 'on this machine alone', line: 'renown serve' },
    {
      says: 'for others too, behind a proxy that speaks TLS',
      line: 'renown serve --host 0.0.0.0 --trusted-proxies 10.0.0.0/8',
    },
  ],
  async run(input, io) {
    const configuration = await configurationOf(input, io);
    if (input.options['print-config']) {
      io.stdout.write(`${JSON.stringify(printable(configuration), null, 2)}\n`);
      return;
    }
    // What the store and the files beside it hold is for their owner alone.
    process.umask(0o077);
    const log = createLog(configuration.logLevel);
    const store = await openStore(storeUrl(configuration), { spoolDir: configuration.spool });
    const serving = await startServer({ store, configuration, log, version: await packageVersion() });
    await welcome(serving, configuration.host, io);
    if (input.options.demo) await showDemo(serving, io);
    io.stderr.write('renown: It is ready. Ctrl-C stops it.\n');
    await stopSignal();
    io.stderr.write('renown: Stopping: finishing what is under way.\n');
    await serving.stop();
    log.flush();
  },
};

/** Lines go out together, because a write for each would cost more than the request; none waits longer than a second. */
function createLog(level: string) {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 1_000 });
  return pino({ level, base: null }, destination);
}

/** Flags, environment and file together. */
async function configurationOf({ options }: CommandInput, io: Io) {
  const { config, 'print-config': _print, demo: _demo, json: _json, ...flags } = options;
  return readConfiguration({
    flags,
    env: io.env,
    file: await readConfigurationFile(config as string | undefined),
  });
}

/** The first start makes an org, and shows its keys the one time they can be shown. */
async function welcome(
  { url, receiver, context, webSessions }: Serving,
  host: string,
  io: Io,
): Promise<void> {
  const lines = [`Renown listens on ${url}`];
  const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(host);
  if (isLocal) {
    lines.push('It can be reached from this machine alone; --host 0.0.0.0 opens it to others.');
  }
  if (receiver.url)
    lines.push(`Telemetry is received on ${receiver.url}: point OTEL_EXPORTER_OTLP_ENDPOINT there.`);
  if (receiver.problem) lines.push(`${receiver.problem} It is also received under ${url}/otlp.`);
  if ((await context.store.orgs.list()).length === 0) {
    const { org, pk, sk } = await createOrg(context, { orgId: 'default', name: 'Default', actor: 'cli' });
    lines.push(
      `This is the first start. The org "${org.orgId}" has two keys, shown this once:`,
      `  ${pk.secret}  writes evaluations and reads scores`,
      `  ${sk.secret}  also administers`,
    );
  }
  const [first] = await context.store.orgs.list();
  if (isLocal && first) {
    lines.push(
      `The dashboard, signed in, once and within the hour: ${url}/#${webSessions.newLink(first.orgId)}`,
    );
  }
  io.stderr.write(`${lines.map((line) => `renown: ${line}`).join('\n')}\n`);
}

/** Into the first org. */
async function showDemo({ context: { store, clock } }: Serving, io: Io): Promise<void> {
  const [org] = await store.orgs.list();
  const filled = org && (await fillDemo(store, org.orgId, clock()));
  io.stderr.write(
    filled
      ? `renown: The org "${org.orgId}" holds a month of five agents, made up for you to look at.\n`
      : 'renown: The store has agents already, and is left as it is: --demo wants an empty one.\n',
  );
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
