/** Orgs and their keys: few and small, so read from the file each time. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { RenownError } from '../../core/errors.ts';
import type { ApiKey, Keys, Org, Orgs } from '../store.ts';
import { writeAudit } from './audit.ts';
import type { CommitQueue } from './commit-queue.ts';
import { query } from './query.ts';

export const ORG_COLUMNS = 'org_id AS "orgId", name, created_at AS "createdAt"';

export const KEY_COLUMNS = `key_id AS "keyId", org_id AS "orgId", kind, hash, hint, created_at AS "createdAt",
  revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

export const INSERT_ORG = 'INSERT INTO orgs VALUES ($orgId, $name, $createdAt)';
export const INSERT_KEY =
  'INSERT INTO api_keys VALUES ($keyId, $orgId, $kind, $hash, $hint, $createdAt, $revokedAt, $lastUsedAt)';

export function createOrgs(reader: DuckDBConnection, queue: CommitQueue): Orgs {
  return {
    create: (org) =>
      queue.write(async (transaction) => {
        const exists = await transaction.query('SELECT 1 FROM orgs WHERE org_id = $orgId', {
          orgId: org.orgId,
        });
        if (exists.length > 0) throw new RenownError('conflict', `An org ${org.orgId} exists.`);
        await transaction.run(INSERT_ORG, { ...org });
        return () => undefined;
      }),
    async get(orgId) {
      const rows = await query<Org>(reader, `SELECT ${ORG_COLUMNS} FROM orgs WHERE org_id = $orgId`, {
        orgId,
      });
      return rows[0] ?? null;
    },
    list: () => query<Org>(reader, `SELECT ${ORG_COLUMNS} FROM orgs ORDER BY org_id`),
  };
}

export function createKeys(reader: DuckDBConnection, queue: CommitQueue): Keys {
  return {
    create: (key, audit) =>
      queue.write(async (transaction) => {
        const { keyId, hash } = key;
        const exists = await transaction.query(
          'SELECT 1 FROM api_keys WHERE key_id = $keyId OR hash = $hash',
          { keyId, hash },
        );
        if (exists.length > 0) throw new RenownError('conflict', `The key ${keyId} exists.`);
        await transaction.run(INSERT_KEY, { ...key });
        await writeAudit(transaction, key.orgId, audit);
        return () => undefined;
      }),
    async findByHash(hash) {
      const rows = await query<ApiKey>(reader, `SELECT ${KEY_COLUMNS} FROM api_keys WHERE hash = $hash`, {
        hash,
      });
      return rows[0] ?? null;
    },
    list: (orgId) =>
      query<ApiKey>(
        reader,
        `SELECT ${KEY_COLUMNS} FROM api_keys WHERE org_id = $orgId ORDER BY created_at, key_id`,
        { orgId },
      ),
    revoke: (orgId, keyId, at, audit) =>
      queue.write(async (transaction) => {
        const ofOrg = 'org_id = $orgId AND key_id = $keyId';
        const [key] = await transaction.query<{ revokedAt: number | null }>(
          `SELECT revoked_at AS "revokedAt" FROM api_keys WHERE ${ofOrg}`,
          { orgId, keyId },
        );
        if (key?.revokedAt === null) {
          await transaction.run(`UPDATE api_keys SET revoked_at = $at WHERE ${ofOrg}`, { at, orgId, keyId });
          await writeAudit(transaction, orgId, audit);
        }
        return () => key !== undefined;
      }),
    touch: (orgId, keyId, at) =>
      queue.write(async (transaction) => {
        await transaction.run(
          `UPDATE api_keys SET last_used_at = greatest(coalesce(last_used_at, $at), $at)
           WHERE org_id = $orgId AND key_id = $keyId`,
          { at, orgId, keyId },
        );
        return () => undefined;
      }),
  };
}
