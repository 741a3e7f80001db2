import { type Command, type CommandInput, usageError } from '../command.ts';
import type { Io } from '../io.ts';
import type { Ledger } from '../ledger.ts';
import { ORG_OPTION, orgOf, STORE_OPTION, withLedger } from '../with-ledger.ts';

export const keys: Command = {
  usage: 'keys <create|list|revoke> [id] [--org <value>] [--kind <value>]',
  arguments: [
    { name: '<create|list|revoke>', summary: 'What to do' },
    { name: '[id]', summary: 'The id of the key to revoke, as the list has it' },
  ],
  options: [
    ORG_OPTION,
    { name: 'kind', type: 'string', summary: 'pk, which writes and reads, or sk, which also administers' },
    STORE_OPTION,
  ],
  examples: [
    { says: 'a new key when the old one is lost', line: 'renown keys create --kind sk' },
    { says: 'which there are, and when each was last used', line: 'renown keys list --org acme' },
  ],
  async run(input, io) {
    const [action = '', id] = input.positionals;
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!act) throw usageError('Say create, list or revoke', 'keys');
    if (action === 'revoke' && id === undefined) throw usageError('Say which key, by its id', 'keys');
    await withLedger(input, io, async (ledger) => {
      const org = await orgOf(input, ledger, 'keys');
      for (const line of await act(ledger, org, input)) write(io, line);
    });
  },
};

type Action = (ledger: Ledger, org: string, input: CommandInput) => Promise<object[]>;

const ACTIONS: Record<string, Action> = {
  list: async (ledger, org) => (await ledger.listKeys(org)).items,
  async create(ledger, org, { options: { kind = 'pk' } }) {
    if (kind !== 'pk' && kind !== 'sk') throw usageError('--kind must be pk or sk', 'keys');
    return [await ledger.createKey(org, kind)];
  },
  revoke: async (ledger, org, { positionals: [, id = ''] }) => [await ledger.revokeKey(org, id)],
};

function write(io: Io, line: object): void {
  io.stdout.write(`${JSON.stringify(line)}\n`);
}
