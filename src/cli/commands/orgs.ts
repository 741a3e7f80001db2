import { orgRequest } from '../../core/contract/account.ts';
import { parseWith } from '../../core/contract/parse.ts';
import { type Command, usageError } from '../command.ts';
import type { Ledger } from '../ledger.ts';
import { STORE_OPTION, withLedger } from '../with-ledger.ts';

export const orgs: Command = {
  usage: 'orgs <create|list> [org] [--name <value>]',
  arguments: [
    { name: '<create|list>', summary: 'What to do' },
    { name: '[org]', summary: 'The id of the org to create: lower-case letters, digits and dashes' },
  ],
  options: [{ name: 'name', type: 'string', summary: 'A name for people' }, STORE_OPTION],
  examples: [
    { says: 'a new org, and its two keys this once', line: 'renown orgs create acme --name "Acme Inc."' },
    { says: 'all there are', line: 'renown orgs list' },
  ],
  async run(input, io) {
    const [action, id] = input.positionals;
    if (action !== 'create' && action !== 'list') throw usageError('Say create or list', 'orgs');
    if (action === 'create' && id === undefined) throw usageError('Say which org to create', 'orgs');
    const write = (line: object) => io.stdout.write(`${JSON.stringify(line)}\n`);
    if (action === 'list') {
      await withLedger(input, io, async (ledger) => (await ledger.listOrgs()).items.forEach(write));
      return;
    }
    // Read first: a name that is refused makes no ledger.
    const { org_id: orgId, name } = parseWith(orgRequest, { org_id: id, name: input.options.name });
    const create = async (ledger: Ledger) => write(await ledger.createOrg({ orgId, name: name ?? orgId }));
    await withLedger(input, io, create, { mayMake: true });
  },
};
