import { z } from 'zod';
import { orgId } from '../core/contract/account.ts';
import { agentId, name, uuid } from '../core/contract/fields.ts';
import { parseWith } from '../core/contract/parse.ts';

/** What may stand in each part of a path, by its name in the routes. */
export const PARAMS: Record<string, z.ZodType> = {
  agentId,
  evaluationId: name(),
  identityId: uuid,
  keyId: name(),
  secretId: name(),
  suiteHash: name(),
  sessionId: name(),
  runId: name(),
  monitorId: name(),
  org: orgId,
  file: name(),
  receiptId: name(),
  webhookId: name(),
};

const checks = z.object(PARAMS).partial();

/** Refuses a path with a part that cannot be, under the name of that part. */
export function checkParams(params: Record<string, string>): void {
  // Nearly every path is good: what it is to be called when it is not, is asked only then.
  for (const name in params) if (!PARAMS[name]?.safeParse(params[name]).success) parseWith(checks, params);
}
