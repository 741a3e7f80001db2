import { LIMITS } from '../core/limits.ts';
import { DEFAULT_SUITE, openSuite } from '../gates/suite.ts';
import { type OpenedGateFile, openGateFile } from '../sdk/gate-file.ts';
import type { CommandInput, CommandOption } from './command.ts';

/** For commands that judge. */
export const GATES_OPTION: CommandOption = {
  name: 'gates',
  type: 'string',
  summary: 'A gate file (renown.gates.yaml); the default suite without it',
};

/** The gates that a command line means. */
export async function openGates(file: CommandInput['options'][string]): Promise<OpenedGateFile> {
  const options = { timeoutMs: LIMITS.gatePatienceMs };
  if (typeof file === 'string') return openGateFile(file, options);
  return { suite: DEFAULT_SUITE, engine: await openSuite(DEFAULT_SUITE, options) };
}
