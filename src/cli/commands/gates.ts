import { openGateFile } from '../../sdk/gate-file.ts';
import { type Command, usageError } from '../command.ts';
import type { Io } from '../io.ts';
import { API_OPTIONS, type Api, withApi } from '../with-api.ts';
import { writeLine } from '../write-line.ts';

export const gates: Command = {
  usage: 'gates <show|set|reset> [file]',
  arguments: [
    { name: '<show|set|reset>', summary: 'What to do' },
    { name: '[file]', summary: 'The gate file to set (renown.gates.yaml)' },
  ],
  options: API_OPTIONS,
  examples: [
    { says: 'judge by this file from now on', line: 'renown gates set renown.gates.yaml' },
    { says: 'what the server judges by, and its hash', line: 'renown gates show' },
  ],
  async run(input, io) {
    const [action = '', file] = input.positionals;
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!act) throw usageError('Say show, set or reset', 'gates');
    // Read first: a file with a fault in it is refused with the line, and no server is asked.
    const body = action === 'set' ? await suiteIn(file) : undefined;
    return withApi(input, io, (api) => act(api, io, body));
  },
};

type Action = (api: Api, io: Io, suite: unknown) => Promise<number>;

const ACTIONS: Record<string, Action> = {
  show: (api, io) => write(io, api({ path: '/v1/gates' })),
  set: (api, io, body) => write(io, api({ method: 'PUT', path: '/v1/gates', body })),
  reset: (api, io) => write(io, api({ method: 'DELETE', path: '/v1/gates' })),
};

async function suiteIn(file: string | undefined) {
  if (file === undefined) throw usageError('Say which gate file', 'gates');
  return (await openGateFile(file)).suite;
}

async function write(io: Io, answer: Promise<unknown>): Promise<number> {
  await writeLine(io.stdout, JSON.stringify(await answer));
  return 0;
}
