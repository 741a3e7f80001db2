import { unknownOrg } from '../server/authenticate.ts';
import { type CommandInput, usageError } from './command.ts';

/** The org that a command line means, of those there are: the one it names, or the only one. */
export function chooseOrg({ options }: CommandInput, orgIds: readonly string[], commandName: string): string {
  const { org } = options;
  if (typeof org === 'string') {
    if (!orgIds.includes(org)) throw unknownOrg(org, orgIds);
    return org;
  }
  const [only, second] = orgIds;
  if (only !== undefined && second === undefined) return only;
  const names = orgIds.join(', ') || 'none yet; `renown orgs create` makes one';
  throw usageError(`Say which org with --org: ${names}`, commandName);
}
