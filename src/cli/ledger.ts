import type { Asking } from '../server/in-process.ts';
import type { toKeyWire, toNewKeyWire, toOrgWire } from '../service/accounts.ts';
import type { Portable } from '../service/ledger-file.ts';

type OrgWire = ReturnType<typeof toOrgWire>;
type KeyWire = ReturnType<typeof toKeyWire>;
type NewKeyWire = ReturnType<typeof toNewKeyWire>;
type NewOrgWire = OrgWire & { keys: { pk: NewKeyWire; sk: NewKeyWire } };

/** The ledger as commands see it, wherever it is. */
export interface Ledger extends Portable {
  listOrgs(): Promise<{ items: OrgWire[] }>;
  createOrg(org: { orgId: string; name: string }): Promise<NewOrgWire>;
  listKeys(orgId: string): Promise<{ items: KeyWire[] }>;
  createKey(orgId: string, kind: 'pk' | 'sk'): Promise<NewKeyWire>;
  revokeKey(orgId: string, keyId: string): Promise<KeyWire>;
  backup(file: string): Promise<void>;
  /** What the API answers to one of its session routes, on behalf of an org. */
  ask<T>(orgId: string, asking: Asking): Promise<T>;
}
