import { pino } from 'pino';
import { packageVersion } from '../../package/package-version.ts';
import { flagOf, printable, readConfiguration, SETTINGS, storeUrl } from '../../server/configuration.ts';
import { type Serving, serve as startServer } from '../../server/serve.ts';
import { createOrg } from '../../service/accounts.ts';
import type { ServiceContext } from '../../service/context.ts';
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
    const prepared: Prepared = {};
    const serving = await startServer({
      store,
      configuration,
      log,
      version: await packageVersion(),
      async prepare(context) {
        Object.assign(prepared, await prepareOrg(context, input.options.demo === true));
      },
    });
    await welcome(serving, { prepared, host: configuration.host, io });
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

interface Prepared {
  /** The first org, when this start made it, with its keys. */
  made?: Awaited<ReturnType<typeof createOrg>>;
  /** What became of the demo, where one was asked for. */
  demo?: string;
}

/** The first start makes an org; a demo goes into the first one. */
async function prepareOrg(context: ServiceContext, wantsDemo: boolean): Promise<Prepared> {
  const { store, clock } = context;
  const isFirst = (await store.orgs.list()).length === 0;
  const made = isFirst
    ? { made: await createOrg(context, { orgId: 'default', name: 'Default', actor: 'cli' }) }
    : {};
  const [org] = await store.orgs.list();
  if (!wantsDemo || !org) return made;
  const demo = (await fillDemo(store, org.orgId, clock()))
    ? `The org "${org.orgId}" holds a month of five agents, made up for you to look at.`
    : 'The store has agents already, and is left as it is: --demo wants an empty one.';
  return { ...made, demo };
}

/** Says where it is, and shows the keys of a new org the one time they can be shown. */
async function welcome(
  { url, receiver, context, webSessions }: Serving,
  { prepared: { made, demo }, host, io }: { prepared: Prepared; host: string; io: Io },
): Promise<void> {
  const lines = [`Renown listens on ${url}`];
  const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(host);
  if (isLocal) {
    lines.push('It can be reached from this machine alone; --host 0.0.0.0 opens it to others.');
  }
  if (receiver.url)
    lines.push(`Telemetry is received on ${receiver.url}: point OTEL_EXPORTER_OTLP_ENDPOINT there.`);
  if (receiver.problem) lines.push(`${receiver.problem} It is also received under ${url}/otlp.`);
  if (made) {
    const { org, pk, sk } = made;
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
  if (demo) lines.push(demo);
  io.stderr.write(`${lines.map((line) => `renown: ${line}`).join('\n')}\n`);
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
