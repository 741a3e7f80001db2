import type { RunAnswer } from '../../core/contract/session-run.ts';
import { BLOCKED_EXIT, type Command, type CommandInput, usageError } from '../command.ts';
import { followRun, renderBar } from '../follow-run.ts';
import type { Io } from '../io.ts';
import type { Ledger } from '../ledger.ts';
import { listAll } from '../list-all.ts';
import { namingOptions } from '../naming-options.ts';
import { PLAN_NAMES, PLAN_OPTIONS, planFields } from '../plan-options.ts';
import { ORG_OPTION, orgOf, STORE_OPTION, withLedger } from '../with-ledger.ts';
import { writeLine } from '../write-line.ts';

export const run: Command = {
  usage: 'run <start|list|show|scores|retry|cancel|delete> [id] [options]',
  arguments: [
    { name: '<action>', summary: 'start, list, show, scores, retry, cancel or delete' },
    { name: '[id]', summary: 'The id of the run, as the list has it' },
  ],
  options: [
    ...PLAN_OPTIONS,
    { name: 'all', type: 'boolean', summary: 'Start: all sessions there are' },
    { name: 'dry-run', type: 'boolean', summary: 'Start: say what it would cover, and do nothing' },
    ORG_OPTION,
    STORE_OPTION,
  ],
  examples: [
    {
      says: 'score what a bot did in the last day',
      line: 'renown run start --agent support-bot --within-hours 24',
    },
    { says: 'what came out, worst first', line: 'renown run scores 0192f0c1-7e9a-7c3b-8f00-0a1b2c3d4e5f' },
  ],
  async run(input, io) {
    const [action = '', id] = input.positionals;
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!act) throw usageError('Say start, list, show, scores, retry, cancel or delete', 'run');
    const needsId = action !== 'start' && action !== 'list';
    if (needsId && id === undefined) throw usageError('Say which run, by its id', 'run');
    // Read first: a mistake on the command line needs no ledger to be told.
    const plan = action === 'start' ? planOf(input) : {};
    return withLedger(input, io, async (ledger) => {
      const orgId = await orgOf(input, ledger, 'run');
      const path = `/v1/session-runs/${encodeURIComponent(id ?? '')}`;
      return act({ ledger, orgId, input, io, plan, path });
    });
  },
};

interface Acting {
  ledger: Ledger;
  orgId: string;
  input: CommandInput;
  io: Io;
  /** What a new run covers. */
  plan: object;
  /** Of the run that is meant. */
  path: string;
}

/** Each answers with the exit code of the command. */
const ACTIONS: Record<string, (acting: Acting) => Promise<number>> = {
  start,
  async list({ ledger, orgId, input, io }) {
    for await (const one of listAll<RunAnswer>(ledger, orgId, '/v1/session-runs'))
      await print(one, input, io);
    return 0;
  },
  async show({ ledger, orgId, input, io, path }) {
    await print(await ledger.ask<RunAnswer>(orgId, { path }), input, io);
    return 0;
  },
  async scores({ ledger, orgId, io, path }) {
    for await (const score of listAll(ledger, orgId, `${path}/scores`))
      await writeLine(io.stdout, JSON.stringify(score));
    return 0;
  },
  async retry(acting) {
    const { run_id } = await acting.ledger.ask<RunAnswer>(acting.orgId, {
      method: 'POST',
      path: `${acting.path}/retry`,
    });
    return finish(acting, run_id);
  },
  async cancel({ ledger, orgId, input, io, path }) {
    const cancelled = await ledger.ask<RunAnswer>(orgId, { method: 'POST', path: `${path}/cancel` });
    await print(cancelled, input, io);
    return 0;
  },
  async delete({ ledger, orgId, io, path }) {
    await writeLine(io.stdout, JSON.stringify(await ledger.ask(orgId, { method: 'DELETE', path })));
    return 0;
  },
};

function planOf(input: CommandInput): Record<string, unknown> {
  const fields = planFields(input, 'run');
  if (fields.session_ids !== undefined || fields.filter !== undefined) return fields;
  if (!input.options.all)
    throw usageError(
      'Say which sessions: --sessions for some, --all for all, or what they have in common, as --agent or --within-hours',
      'run',
    );
  return { ...fields, filter: {} };
}

async function start(acting: Acting): Promise<number> {
  const { ledger, orgId, input, io, plan } = acting;
  const body = input.options['dry-run'] ? { ...plan, dry_run: true } : plan;
  const asking = { method: 'POST', path: '/v1/session-runs', body } as const;
  const answer = await namingOptions(PLAN_NAMES, () =>
    ledger.ask<RunAnswer | { dry_run: true }>(orgId, asking),
  );
  if (!('dry_run' in answer)) return finish(acting, answer.run_id);
  await writeLine(io.stdout, JSON.stringify(answer));
  return 0;
}

/** A run that failed says so to scripts, too. */
async function finish({ ledger, orgId, input, io }: Acting, runId: string): Promise<number> {
  const ended = await followRun(ledger, orgId, { runId, io });
  await print(ended, input, io);
  return ended.state === 'completed' ? 0 : BLOCKED_EXIT;
}

/** A line for people on a terminal, and JSON for programs. */
async function print(one: RunAnswer, { options }: CommandInput, io: Io): Promise<void> {
  const forPeople = io.stdout.isTTY && !options.json;
  await writeLine(
    io.stdout,
    forPeople ? `${one.run_id}  ${one.state}  ${renderBar(one)}` : JSON.stringify(one),
  );
}
