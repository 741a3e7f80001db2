/** Orgs and their keys: few and small, so read from the server each time. */
import { RenownError } from '../../core/errors.ts';
import type { ApiKey, Keys, Org, Orgs } from '../store.ts';
import type { AuditLog } from './audit-log.ts';
import type { Connection, Parameters } from './connection.ts';
import { insertOnce } from './insert-once.ts';
import type { WriteQueue } from './write-queue.ts';

const ORG_COLUMNS = 'org_id AS orgId, name, created_at AS createdAt';

export function createOrgs(connection: Connection, queue: WriteQueue): Orgs {
  return {
    create: (org) =>
      queue.run(async () => {
        if (!(await insertOrg(connection, org))) {
          throw new RenownError('conflict', `An org ${org.orgId} exists.`);
        }
      }),
    async get(orgId) {
      const [org] = await connection.query<Org>(
        `SELECT ${ORG_COLUMNS} FROM orgs WHERE org_id = {orgId:String}`,
        { orgId },
      );
      return org ?? null;
    },
    list: () => listOrgs(connection),
  };
}

export function listOrgs(connection: Connection): Promise<Org[]> {
  return connection.query<Org>(`SELECT ${ORG_COLUMNS} FROM orgs ORDER BY org_id`);
}

/** False when there is one of that id. */
export async function insertOrg(connection: Connection, { orgId, name, createdAt }: Org): Promise<boolean> {
  const writers = () =>
    connection.query<{ writer: string }>('SELECT writer FROM orgs WHERE org_id = {orgId:String}', { orgId });
  return insertOnce(connection, {
    table: 'orgs',
    row: { org_id: orgId, name, created_at: createdAt },
    token: `org ${orgId}`,
    writers,
  });
}

/** Keys with what has happened to them since; `where` is about the keys themselves. */
function readKeys(connection: Connection, where: string, parameters: Parameters = {}): Promise<ApiKey[]> {
  return connection.query<ApiKey>(
    `SELECT key_id AS keyId, org_id AS orgId, kind, hash, hint, created_at AS createdAt,
       coalesce(api_keys.revoked_at, uses.revoked_at) AS revokedAt,
       nullIf(greatest(ifNull(api_keys.last_used_at, -1e300), ifNull(uses.last_used_at, -1e300)), -1e300) AS lastUsedAt
     FROM (SELECT * FROM api_keys WHERE ${where}) AS api_keys LEFT JOIN (
       SELECT org_id, key_id, min(revoked_at) AS revoked_at, max(last_used_at) AS last_used_at FROM key_uses
       WHERE (org_id, key_id) IN (SELECT org_id, key_id FROM api_keys WHERE ${where}) GROUP BY org_id, key_id
     ) AS uses USING (org_id, key_id)
     ORDER BY created_at, key_id`,
    parameters,
  );
}

export function createKeys(connection: Connection, queue: WriteQueue, log: AuditLog): Keys {
  /** Notes something of a key, if the org has it. */
  const note = (columns: string, key: { orgId: string; keyId: string; at: number }) =>
    connection.command(
      `INSERT INTO key_uses (org_id, key_id, revoked_at, last_used_at)
       SELECT org_id, key_id, ${columns} FROM api_keys WHERE org_id = {orgId:String} AND key_id = {keyId:String}`,
      key,
    );
  return {
    create: (key, audit) =>
      queue.run(async () => {
        if (!(await insertKey(connection, key))) {
          throw new RenownError('conflict', `The key ${key.keyId} exists.`);
        }
        await log.write(key.orgId, audit);
      }),
    async findByHash(hash) {
      const [key] = await readKeys(connection, 'hash = {hash:String}', { hash });
      return key ?? null;
    },
    list: (orgId) => listKeys(connection, orgId),
    revoke: (orgId, keyId, at, audit) =>
      queue.run(async () => {
        const key = (await listKeys(connection, orgId)).find((one) => one.keyId === keyId);
        if (key?.revokedAt === null) {
          await note('{at:Float64}, NULL', { orgId, keyId, at });
          await log.write(orgId, audit);
        }
        return key !== undefined;
      }),
    touch: (orgId, keyId, at) => queue.run(() => note('NULL, {at:Float64}', { orgId, keyId, at })),
  };
}

/** Those of one org, or all. */
export function listKeys(connection: Connection, orgId?: string): Promise<ApiKey[]> {
  return orgId === undefined
    ? readKeys(connection, 'true')
    : readKeys(connection, 'org_id = {orgId:String}', { orgId });
}

/** False when there is one of that id or hash. */
export async function insertKey(connection: Connection, key: ApiKey): Promise<boolean> {
  const { keyId, orgId, kind, hash, hint, createdAt, revokedAt, lastUsedAt } = key;
  const writers = () =>
    connection.query<{ writer: string }>(
      'SELECT writer FROM api_keys WHERE hash = {hash:String} OR key_id = {keyId:String}',
      { hash, keyId },
    );
  return insertOnce(connection, {
    table: 'api_keys',
    row: {
      hash,
      key_id: keyId,
      org_id: orgId,
      kind,
      hint,
      created_at: createdAt,
      revoked_at: revokedAt,
      last_used_at: lastUsedAt,
    },
    token: `key ${hash}`,
    writers,
  });
}
