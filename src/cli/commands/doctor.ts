import { stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { toRenownError } from '../../core/errors.ts';
import { type Configuration, storeUrl } from '../../server/configuration.ts';
import { serverFilePath } from '../../server/server-file.ts';
import type { Command } from '../command.ts';
import { type Io, styleFor } from '../io.ts';
import type { Ledger } from '../ledger.ts';
import { isMissing, storeFile } from '../store-file.ts';
import { configurationOf, findServer, STORE_OPTION, withLedger } from '../with-ledger.ts';

/** What a check found: all well, or what to do. */
interface Finding {
  check: string;
  ok: boolean;
  says: string;
}

/** At least one thing wants attention. */
const EXIT_FINDINGS = 10;
const FREE_BYTES_MIN = 1024 ** 3;
/** Renown did not exist before; a clock that says otherwise is wrong. */
const CLOCK_MIN = Date.UTC(2026, 0, 1);

export const doctor: Command = {
  usage: 'doctor [--store <value>]',
  arguments: [],
  options: [STORE_OPTION],
  examples: [{ says: 'before asking for help', line: 'renown doctor' }],
  async run(input, io) {
    const configuration = await configurationOf(input, io);
    const running = (await findServer(storeUrl(configuration))) !== null;
    const findings = [
      await checkDisk(configuration),
      await checkPort(configuration, running),
      await checkRights(configuration),
      ...((await isMissing(configuration))
        ? [NO_STORE]
        : await withLedger(input, io, checkLedger).catch((error) => [notOpen(error)])),
    ];
    report(findings, input.options.json === true, io);
    return findings.every(({ ok }) => ok) ? 0 : EXIT_FINDINGS;
  },
};

async function checkLedger(ledger: Ledger): Promise<Finding[]> {
  const { items: orgs } = await ledger.listOrgs();
  const findings: Finding[] = [
    { check: 'store', ok: true, says: `It opens, and holds ${orgs.length} orgs.` },
  ];
  const now = Date.now();
  const newest = Math.max(0, ...orgs.map(({ created_at }) => Date.parse(created_at)));
  findings.push({
    check: 'clock',
    ok: now >= CLOCK_MIN && newest <= now,
    says:
      now >= CLOCK_MIN && newest <= now
        ? `${new Date(now).toISOString()}, after everything in the store.`
        : `${new Date(now).toISOString()} cannot be right. Set the clock, or let NTP do so: signatures are good for five minutes.`,
  });
  if (orgs.length === 0) {
    findings.push({
      check: 'keys',
      ok: false,
      says: 'There is no org yet. `renown serve` makes the first one.',
    });
  }
  for (const { org_id: org } of orgs) findings.push(await checkKeys(ledger, org));
  return findings;
}

async function checkKeys(ledger: Ledger, org: string): Promise<Finding> {
  const good = (await ledger.listKeys(org)).items.filter(({ revoked_at }) => revoked_at === null);
  const missing = (['pk', 'sk'] as const).filter((kind) => !good.some((key) => key.kind === kind));
  const says = missing.map((kind) => `no ${kind} key: \`renown keys create --org ${org} --kind ${kind}\``);
  return {
    check: 'keys',
    ok: missing.length === 0,
    says:
      missing.length === 0 ? `${org} has ${good.length} good ones.` : `${org} has ${says.join(', and ')}.`,
  };
}

async function checkPort({ host, port }: Configuration, running: boolean): Promise<Finding> {
  if (running) return { check: 'port', ok: true, says: 'The server of this store is running, and answers.' };
  const fault = await new Promise<string | null>((resolve) => {
    const probe = createServer();
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
  const says =
    fault === null
      ? `${host}:${port} is free.`
      : `${host}:${port} cannot be used (${fault}). Choose another with RENOWN_PORT, or with renown serve --port.`;
  return { check: 'port', ok: fault === null, says };
}

async function checkDisk(configuration: Configuration): Promise<Finding> {
  const file = storeFile(configuration);
  // What a server of its own holds is not on this disk, but for what waits for it.
  const folder = file === null ? dirname(resolve(configuration.spool)) : dirname(file);
  const room = await statfs(folder).catch(() => null);
  if (!room)
    return {
      check: 'disk',
      ok: false,
      says: `${folder} does not exist. Make it, or name another with --store.`,
    };
  const free = room.bavail * room.bsize;
  const gib = (free / 1024 ** 3).toFixed(1);
  return free >= FREE_BYTES_MIN
    ? { check: 'disk', ok: true, says: `${gib} GiB are free.` }
    : { check: 'disk', ok: false, says: `Only ${gib} GiB are free. Make room, or shorten what is kept.` };
}

/** The files beside the store let people in: they are for their owner alone. */
async function checkRights(configuration: Configuration): Promise<Finding> {
  const url = storeUrl(configuration);
  const file = storeFile(configuration);
  const files = [serverFilePath(url), file && `${file}.key`].filter((path) => path !== null);
  for (const path of files) {
    const found = await stat(path).catch(() => null);
    if (found && (found.mode & 0o077) !== 0) {
      return { check: 'rights', ok: false, says: `Others may read ${path}. Run \`chmod 600 ${path}\`.` };
    }
  }
  return { check: 'rights', ok: true, says: 'The files beside the store are for their owner alone.' };
}

const NO_STORE = { check: 'store', ok: true, says: 'There is none yet. `renown serve` makes it.' };

function notOpen(error: unknown): Finding {
  return { check: 'store', ok: false, says: toRenownError(error).message };
}

function report(findings: readonly Finding[], asJson: boolean, io: Io): void {
  const { bold, red } = styleFor(io.stdout, io.env);
  for (const finding of findings) {
    const { check, ok, says } = finding;
    if (asJson) io.stdout.write(`${JSON.stringify(finding)}\n`);
    else io.stdout.write(`${ok ? 'ok ' : red(bold('!! '))} ${check.padEnd(6)}  ${says}\n`);
  }
}
