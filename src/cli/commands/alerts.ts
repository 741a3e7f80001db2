import { BLOCKED_EXIT, type Command, type CommandInput, usageError } from '../command.ts';
import type { Io } from '../io.ts';
import { API_OPTIONS, type Api, withApi } from '../with-api.ts';
import { writeLine } from '../write-line.ts';

export const alerts: Command = {
  usage: 'alerts <list|webhooks|add|remove|test> [url or id]',
  arguments: [
    { name: '<list|webhooks|add|remove|test>', summary: 'What to do' },
    { name: '[url or id]', summary: 'The address to add, or the id of the webhook to remove' },
  ],
  options: [
    { name: 'limit', type: 'string', summary: 'How many to list, 1 to 200; the newest 50 without it' },
    { name: 'cursor', type: 'string', summary: 'Goes on where the list before ended, which said how' },
    ...API_OPTIONS,
  ],
  examples: [
    { says: 'what was raised, newest first', line: 'renown alerts list --limit 20' },
    {
      says: 'send alerts there; the secret is shown once',
      line: 'renown alerts add https://hooks.example.com/renown',
    },
    { says: 'whether they arrive; exit code 10 when one does not', line: 'renown alerts test' },
  ],
  async run(input, io) {
    const [action = ''] = input.positionals;
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!act) throw usageError('Say list, webhooks, add, remove or test', 'alerts');
    return withApi(input, io, (api) => act(api, input, io));
  },
};

type Action = (api: Api, input: CommandInput, io: Io) => Promise<number>;

const ACTIONS: Record<string, Action> = {
  async list(api, { options: { limit, cursor } }, io) {
    const query = new URLSearchParams({
      order: 'newest',
      ...(typeof limit === 'string' && { limit }),
      ...(typeof cursor === 'string' && { cursor }),
    });
    const next = await writeItems(api, `/v1/alerts?${query}`, io);
    if (next) io.stderr.write(`There are older ones: \`renown alerts list --cursor ${next}\`.\n`);
    return 0;
  },
  async webhooks(api, _, io) {
    await writeItems(api, '/v1/webhooks', io);
    return 0;
  },
  async add(api, { positionals: [, url] }, io) {
    if (url === undefined) throw usageError('Say where to, with a URL', 'alerts');
    const added = await api<object>({ method: 'POST', path: '/v1/webhooks', body: { url } });
    await writeLine(io.stdout, JSON.stringify(added));
    return 0;
  },
  async remove(api, { positionals: [, id] }, io) {
    if (id === undefined) throw usageError('Say which webhook, by its id', 'alerts');
    const path = `/v1/webhooks/${encodeURIComponent(id)}`;
    await writeLine(io.stdout, JSON.stringify(await api<object>({ method: 'DELETE', path })));
    return 0;
  },
  async test(api, _, io) {
    const asking = { method: 'POST' as const, path: '/v1/alerts/test' };
    const { deliveries } = await api<{ deliveries: { delivered: boolean }[] }>(asking);
    for (const delivery of deliveries) await writeLine(io.stdout, JSON.stringify(delivery));
    if (deliveries.length === 0)
      io.stderr.write('There is no webhook yet. Add one with `renown alerts add <url>`.\n');
    return deliveries.every(({ delivered }) => delivered) ? 0 : BLOCKED_EXIT;
  },
};

/** Answers with the cursor of the page after it, where there is one. */
async function writeItems(api: Api, path: string, io: Io): Promise<string | null | undefined> {
  const page = await api<{ items: object[]; next_cursor?: string | null }>({ method: 'GET', path });
  for (const item of page.items) await writeLine(io.stdout, JSON.stringify(item));
  return page.next_cursor;
}
