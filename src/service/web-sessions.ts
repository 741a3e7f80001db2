/**
 * Sessions of the dashboard. A key is shown once, at the sign-in, and exchanged for a token that lives in a cookie; of the
 * token the ledger keeps the SHA-256, so that any node knows it and a copy of the ledger signs nobody in. A session ends
 * by itself after some days, with its sign-out, and with the revocation of the key that opened it.
 */
import { RenownError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { ApiKey } from '../store/store.ts';
import { auditEntry } from './audit-entry.ts';
import type { ServiceContext } from './context.ts';
import { hashOf } from './key-ring.ts';

export const WEB_SESSION = 'web_session';
const TOKEN_BYTES = 32;

type SessionContext = Pick<ServiceContext, 'store' | 'clock' | 'newId' | 'newSecret' | 'keys'>;

/** Who is signed in. `keyId` is null for the owner of the machine, who came by a link. */
export interface WebSession {
  orgId: string;
  kind: ApiKey['kind'];
  keyId: string | null;
  expiresAt: number;
}

/** As it is stored; the hash of the key leads to it, and to its revocation. */
interface SessionBody {
  keyHash: string | null;
  expiresAt: number;
}

/** Where a session is looked for. */
interface Place {
  orgId: string;
  hash: string;
}

export class WebSessions {
  readonly #context: SessionContext;
  /** Bodies by the hash of their token, as they were read a moment ago. */
  readonly #seen = new Map<string, { body: SessionBody; readAt: number }>();
  /** Links that have not been used: by their hash, the org they open and until when. */
  readonly #links = new Map<string, { orgId: string; until: number }>();

  constructor(context: SessionContext) {
    this.#context = context;
  }

  async openWithKey(secret: string): Promise<{ token: string; session: WebSession }> {
    const key = await this.#context.keys.find(secret, () => undefined);
    if (!key) throw new RenownError('unauthorized', 'The key is unknown or revoked.');
    return this.#open(key.orgId, key);
  }

  /** A link that signs its holder in once, as one who administers the org. */
  newLink(orgId: string): string {
    const link = this.#context.newSecret(TOKEN_BYTES);
    this.#links.set(hashOf(link), { orgId, until: this.#context.clock() + LIMITS.signInLinkMs });
    return link;
  }

  async openWithLink(link: string): Promise<{ token: string; session: WebSession }> {
    const hash = hashOf(link);
    const found = this.#links.get(hash);
    this.#links.delete(hash);
    if (!found || found.until <= this.#context.clock()) {
      throw new RenownError(
        'unauthorized',
        'The link was used already, or is too old. Sign in with a key, or start the server again for another link.',
      );
    }
    return this.#open(found.orgId, null);
  }

  /** Who holds a token. Before the store is asked for one that was not seen a moment ago, `beforeReading` may object. */
  async find(token: string, beforeReading: () => void): Promise<WebSession | null> {
    const place = parseToken(token);
    if (!place) return null;
    const body = await this.#read(place, beforeReading);
    if (!body || body.expiresAt <= this.#context.clock()) return null;
    const { orgId } = place;
    const { keyHash, expiresAt } = body;
    if (keyHash === null) return { orgId, kind: 'sk', keyId: null, expiresAt };
    const key = await this.#context.keys.findHashed(keyHash, () => undefined);
    return key && { orgId, kind: key.kind, keyId: key.keyId, expiresAt };
  }

  async close(token: string): Promise<void> {
    const place = parseToken(token);
    if (!place) return;
    this.#seen.delete(place.hash);
    await this.#context.store.documents.delete(place.orgId, WEB_SESSION, place.hash);
  }

  async #open(orgId: string, key: ApiKey | null): Promise<{ token: string; session: WebSession }> {
    const { store, clock, newSecret } = this.#context;
    const token = `${orgId}.${newSecret(TOKEN_BYTES)}`;
    const body: SessionBody = { keyHash: key?.hash ?? null, expiresAt: clock() + LIMITS.webSessionMs };
    const actor = key?.keyId ?? 'owner';
    await store.documents.put(
      orgId,
      { kind: WEB_SESSION, id: hashOf(token), body, at: clock(), expectedVersion: 0 },
      auditEntry(this.#context, { orgId, actor }, { action: 'dashboard.sign_in', target: actor }),
    );
    const session = { orgId, kind: key?.kind ?? 'sk', keyId: key?.keyId ?? null, expiresAt: body.expiresAt };
    return { token, session };
  }

  /** As it stood a moment ago: a sign-out on another node counts within seconds. */
  async #read({ orgId, hash }: Place, beforeReading: () => void): Promise<SessionBody | null> {
    const now = this.#context.clock();
    const seen = this.#seen.get(hash);
    if (seen && now - seen.readAt < LIMITS.keyTrustMs) return seen.body;
    beforeReading();
    const document = await this.#context.store.documents.get(orgId, WEB_SESSION, hash);
    if (!document) return null;
    const body = document.body as SessionBody;
    if (this.#seen.size >= LIMITS.keysCachedMax) this.#seen.clear();
    this.#seen.set(hash, { body, readAt: now });
    return body;
  }
}

/** The org stands in front of the secret, because it is where the session is looked for; both together are hashed. */
function parseToken(token: string): Place | null {
  const [, orgId] = /^([a-z0-9][a-z0-9-]{0,62})\.[0-9a-f]{64}$/.exec(token) ?? [];
  return orgId === undefined ? null : { orgId, hash: hashOf(token) };
}
