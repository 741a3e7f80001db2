/** The suites of orgs in the ledger: the present choice, and every suite by its hash. Each hash is the content's own. */
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Engine } from '../gates/engine.ts';
import { DEFAULT_SUITE, hashSuite, openSuite, type Suite } from '../gates/suite.ts';
import type { Store } from '../store/store.ts';
import { Remembered } from './remembered.ts';

/** Where the present choice of an org stands among its documents, and each suite by its hash. */
export const CHOICE = { kind: 'gates', id: 'org' };
export const SUITE = 'gate-suite';

export interface Choice {
  /** Null for the default. */
  hash: string | null;
}

interface Chosen {
  suite: Suite;
  hash: string;
  engine: Engine;
  isDefault: boolean;
  setAt: number | null;
  version: number;
}

/** The engines of orgs, made when they are first asked for. */
export class SuiteBook extends Remembered<Chosen> {
  constructor(store: Store, clock: () => number) {
    super(clock, (orgId) => readChoice(store, orgId));
  }
}

async function readChoice(store: Store, orgId: string): Promise<Chosen> {
  const stored = await store.documents.get(orgId, CHOICE.kind, CHOICE.id);
  const { hash } = (stored?.body ?? { hash: null }) as Choice;
  const suite = hash === null ? DEFAULT_SUITE : await readSuite(store, orgId, hash);
  return {
    suite,
    hash: hash ?? hashSuite(DEFAULT_SUITE),
    engine: await openSuite(suite, { timeoutMs: LIMITS.gatePatienceMs }),
    isDefault: hash === null,
    setAt: stored?.updatedAt ?? null,
    version: stored?.version ?? 0,
  };
}

export async function readSuite(store: Store, orgId: string, hash: string): Promise<Suite> {
  const stored = await store.documents.get(orgId, SUITE, hash);
  if (stored) return stored.body as unknown as Suite;
  if (hash === hashSuite(DEFAULT_SUITE)) return DEFAULT_SUITE;
  throw new RenownError('not_found', `The org has had no gate suite ${hash}.`);
}
