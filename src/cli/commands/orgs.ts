import { orgRequest } from '../../core/contract/account.ts';
import { parseWith } from '../../core/contract/parse.ts';
import { type Command, usageError } from '../command.ts';
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
    await withLedger(input, io, async (ledger) => {
      if (action === 'list') {
        for (const org of (await ledger.listOrgs()).items) io.stdout.write(`${JSON.stringify(org)}\n`);
        return;
      }
      const { org_id: orgId, name } = parseWith(orgRequest, { org_id: id, name: input.options.name });
      io.stdout.write(`${JSON.stringify(await ledger.createOrg({ orgId, name: name ?? orgId }))}\n`);
    });
  },
};
