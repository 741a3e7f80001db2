import { type Command, type CommandInput, usageError } from '../command.ts';
import { followRun } from '../follow-run.ts';
import { listAll } from '../list-all.ts';
import { namingOptions } from '../naming-options.ts';
import { PLAN_NAMES, PLAN_OPTIONS, planFields } from '../plan-options.ts';
import { ORG_OPTION, orgOf, STORE_OPTION, withLedger } from '../with-ledger.ts';
import { writeLine } from '../write-line.ts';

const WITH_ID = ['show', 'change', 'pause', 'resume', 'trigger', 'runs', 'delete'];
const ACTIONS = ['create', 'list', ...WITH_ID];

export const monitor: Command = {
  usage: 'monitor <create|list|show|change|pause|resume|trigger|runs|delete> [id] [options]',
  arguments: [
    { name: '<action>', summary: ACTIONS.join(', ') },
    { name: '[id]', summary: 'The id of the monitor, as the list has it' },
  ],
  options: [
    { name: 'name', type: 'string', summary: 'A name for people' },
    { name: 'cadence', type: 'string', summary: 'every_6h, daily, weekly, or "cron:30 4 * * 1-5", in UTC' },
    ...PLAN_OPTIONS,
    ORG_OPTION,
    STORE_OPTION,
  ],
  examples: [
    {
      says: 'every night, what a bot did that day',
      line: 'renown monitor create --name Nightly --cadence daily --agent support-bot --within-hours 24',
    },
    { says: 'all there are', line: 'renown monitor list' },
  ],
  async run(input, io) {
    const [action = '', id] = input.positionals;
    if (!ACTIONS.includes(action)) throw usageError(`Say one of ${ACTIONS.join(', ')}`, 'monitor');
    if (WITH_ID.includes(action) && id === undefined)
      throw usageError('Say which monitor, by its id', 'monitor');
    if (action === 'create') refuseIncomplete(input);
    const asking = askingOf(action, id, input);
    await withLedger(input, io, async (ledger) => {
      const orgId = await orgOf(input, ledger, 'monitor');
      const print = (line: unknown) => writeLine(io.stdout, JSON.stringify(line));
      if (action === 'list' || action === 'runs') {
        for await (const line of listAll(ledger, orgId, asking.path)) await print(line);
        return;
      }
      const answer = await namingOptions(OPTION_NAMES, () => ledger.ask<{ run_id?: string }>(orgId, asking));
      const isRun = action === 'trigger' && answer.run_id !== undefined;
      await print(isRun ? await followRun(ledger, orgId, { runId: answer.run_id as string, io }) : answer);
    });
  },
};

const OPTION_NAMES = { ...PLAN_NAMES, name: '--name', cadence: '--cadence' };

function refuseIncomplete({ options }: CommandInput): void {
  const missing = ['name', 'cadence'].filter((name) => options[name] === undefined);
  if (missing.length > 0)
    throw usageError(
      `A new monitor needs ${missing.map((name) => `--${name}`).join(' and ')}, as --name Nightly --cadence daily`,
      'monitor',
    );
}

function askingOf(action: string, id: string | undefined, input: CommandInput) {
  const all = '/v1/session-monitors';
  const one = `${all}/${encodeURIComponent(id ?? '')}`;
  const { name, cadence } = input.options;
  const fields = {
    ...(name !== undefined && { name }),
    ...(cadence !== undefined && { cadence }),
    ...planFields(input, 'monitor'),
  };
  switch (action) {
    case 'create':
      return { method: 'POST', path: all, body: withAll(fields) } as const;
    case 'list':
      return { path: all };
    case 'change':
      return { method: 'PATCH', path: one, body: fields } as const;
    case 'delete':
      return { method: 'DELETE', path: one } as const;
    case 'show':
      return { path: one };
    case 'runs':
      return { path: `${one}/runs` };
    default:
      return { method: 'POST', path: `${one}/${action}` } as const;
  }
}

/** A monitor that names no sessions watches all of them. */
function withAll(fields: Record<string, unknown>): Record<string, unknown> {
  return fields.session_ids === undefined && fields.filter === undefined ? { ...fields, filter: {} } : fields;
}
