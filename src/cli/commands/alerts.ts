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
  options: API_OPTIONS,
  examples: [
    {
      says: 'send alerts there; the secret is shown once',
      line: 'renown alerts add https://hooks.example.com/renown',
    },
    { says: 'whether they arrive; exit code 10 when one does not', line: 'renown alerts test' },
  ],
  async run(input, io) {
    const [action = '', subject] = input.positionals;
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!act) throw usageError('Say list, webhooks, add, remove or test', 'alerts');
    return withApi(input, io, (api) => act(api, subject, io));
  },
};

type Action = (api: Api, subject: CommandInput['positionals'][number] | undefined, io: Io) => Promise<number>;

const ACTIONS: Record<string, Action> = {
  list: (api, _, io) => writeItems(api, '/v1/alerts', io),
  webhooks: (api, _, io) => writeItems(api, '/v1/webhooks', io),
  async add(api, url, io) {
    if (url === undefined) throw usageError('Say where to, with a URL', 'alerts');
    const added = await api<object>({ method: 'POST', path: '/v1/webhooks', body: { url } });
    await writeLine(io.stdout, JSON.stringify(added));
    return 0;
  },
  async remove(api, id, io) {
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

async function writeItems(api: Api, path: string, io: Io): Promise<number> {
  const { items } = await api<{ items: object[] }>({ method: 'GET', path });
  for (const item of items) await writeLine(io.stdout, JSON.stringify(item));
  return 0;
}
