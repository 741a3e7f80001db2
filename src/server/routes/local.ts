/** What the renown command asks of a running server, with the token that the server left beside its store. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { newOrgAnswer, orgList, orgRequest } from '../../core/contract/account.ts';
import { RenownError } from '../../core/errors.ts';
import { createOrg, toNewKeyWire, toOrgWire } from '../../service/accounts.ts';
import type { ServiceContext } from '../../service/context.ts';
import { exportLines, importLines } from '../../service/ledger-file.ts';
import { type Route, route } from '../route.ts';

const tag = 'Local';
const access = 'local';

export function localRoutes(context: ServiceContext): Route[] {
  return [...orgRoutes(context), ...ledgerRoutes(context)];
}

function orgRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/local/orgs',
      access,
      tag,
      summary: 'List all orgs',
      answers: { 200: { description: 'All of them', schema: orgList } },
      handle: async () => ({ json: { items: (await context.store.orgs.list()).map(toOrgWire) } }),
    }),
    route({
      method: 'POST',
      path: '/local/orgs',
      access,
      tag,
      summary: 'Create an org with its two keys',
      body: orgRequest,
      answers: { 201: { description: 'The org, and its keys this once', schema: newOrgAnswer } },
      async handle({ body, caller }) {
        const { org_id: orgId, name = orgId } = body;
        const { org, pk, sk } = await createOrg(context, { orgId, name, actor: caller.actor });
        const keys = { pk: toNewKeyWire(pk), sk: toNewKeyWire(sk) };
        return { status: 201, json: { ...toOrgWire(org), keys } };
      },
    }),
  ];
}

function ledgerRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/local/export',
      access,
      tag,
      summary: 'Everything the ledger holds, as JSON Lines',
      answers: { 200: { description: 'One line for each row', type: 'application/x-ndjson' } },
      handle: () => ({
        text: { type: 'application/x-ndjson', body: '' },
        async stream({ response, gone }) {
          for await (const line of exportLines(context.store)) {
            // A stream that ends early must not look complete to whoever reads it.
            if (gone.aborted) throw new RenownError('server_unavailable', 'The export was cut off.');
            if (!response.write(`${line}\n`)) await once(response, 'drain', { signal: gone });
          }
        },
      }),
    }),
    route({
      method: 'POST',
      path: '/local/import',
      access,
      tag,
      summary: 'Take in what an export wrote',
      answers: {
        200: { description: 'How much was new', schema: z.object({ restored: z.int(), present: z.int() }) },
      },
      async handle({ request }) {
        const lines = createInterface({ input: request, crlfDelay: Number.POSITIVE_INFINITY });
        return { json: await importLines(context.store, lines) };
      },
    }),
    route({
      method: 'POST',
      path: '/local/backup',
      access,
      tag,
      summary: 'Copy the ledger to a new file',
      body: z.strictObject({ file: z.string() }),
      answers: { 200: { description: 'Written', schema: z.object({ file: z.string() }) } },
      async handle({ body }) {
        const { backup } = context.store.upkeep;
        if (backup === null) {
          throw new RenownError('usage', 'This store has no file to copy; use `renown export`.');
        }
        await backup(body.file);
        return { json: body };
      },
    }),
  ];
}
