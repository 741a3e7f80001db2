/**
 * The gates that the server judges an org's outputs by. A suite is known by the hash of its content, which goes with every
 * evaluation; all suites an org ever had are kept, so that what an old evaluation was judged by can be looked up.
 */
import { toTime } from '../core/contract/fields.ts';
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { hashSuite, openSuite, type Suite } from '../gates/suite.ts';
import { auditEntry } from './audit-entry.ts';
import type { Caller, ServiceContext } from './context.ts';
import { CHOICE, type Choice, readSuite, SUITE } from './suite-book.ts';

export async function showGates({ suites }: ServiceContext, { orgId }: Caller) {
  const { suite, hash, isDefault, setAt } = await suites.read(orgId);
  return { suite_hash: hash, suite, is_default: isDefault, set_at: setAt === null ? null : toTime(setAt) };
}

export async function showFormerGates({ store }: ServiceContext, { orgId }: Caller, hash: string) {
  return { suite_hash: hash, suite: await readSuite(store, orgId, hash) };
}

/** From the answer on this node judges by it, and the others within seconds. Null goes back to the default. */
export async function changeGates(context: ServiceContext, caller: Caller, suite: Suite | null) {
  const { store, clock, suites } = context;
  const { orgId } = caller;
  const hash = suite && (await keepSuite(context, orgId, suite));
  suites.forget(orgId);
  const before = await suites.read(orgId);
  const body: Choice = { hash };
  const note = `${hash ?? 'the default'} in place of ${before.hash}`;
  await store.documents.put(
    orgId,
    { ...CHOICE, body, at: clock(), expectedVersion: before.version },
    auditEntry(context, caller, { action: 'gates.change', target: orgId, note }),
  );
  suites.forget(orgId);
  return showGates(context, caller);
}

async function keepSuite({ store, clock }: ServiceContext, orgId: string, suite: Suite): Promise<string> {
  if (JSON.stringify(suite).length > LIMITS.gateFileBytesMax)
    throw new RenownError('payload_too_large', `A suite has at most ${LIMITS.gateFileBytesMax} characters.`);
  // Refuses what no engine can be made of, with the paths of what is wrong.
  await openSuite(suite);
  const hash = hashSuite(suite);
  if (!(await store.documents.get(orgId, SUITE, hash)))
    await store.documents.put(orgId, { kind: SUITE, id: hash, body: suite, at: clock() });
  return hash;
}
