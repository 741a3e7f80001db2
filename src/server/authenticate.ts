/**
 * Who is asking. A key stands for its org, and so does the session that the dashboard opened with it; the local token
 * stands for whoever may read the file beside the store.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { RenownError } from '../core/errors.ts';
import type { Caller, ServiceContext } from '../service/context.ts';
import type { WebSession, WebSessions } from '../service/web-sessions.ts';
import { isLoopback } from './client-address.ts';
import type { Access } from './route.ts';
import { refuseForgery, sessionTokenOf } from './session-cookie.ts';

export interface Principal extends Caller {
  /** What the limits are counted by. */
  bucket: string;
}

const ANYONE: Caller = { orgId: '', actor: 'anyone' };

export interface AuthenticateOptions {
  context: Pick<ServiceContext, 'keys' | 'store'>;
  webSessions: WebSessions;
  localToken: string;
  /** Counts against a bucket, and throws when it is empty. */
  spend(bucket: string): void;
}

/** Answers at once for a key that was seen a moment ago, so that a busy caller costs no turn of the event loop. */
export function authenticate(
  request: IncomingMessage,
  { access, address }: { access: Access; address: string },
  { context, webSessions, localToken, spend }: AuthenticateOptions,
): Principal | Promise<Principal> {
  if (access === 'anyone') return { ...ANYONE, bucket: address };
  const [, token = ''] = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(request.headers.authorization ?? '') ?? [];
  // Keys can be made up faster than a store can be asked for them: that counts for the address they come from.
  const beforeReading = () => spend(`unknown ${address}`);
  const session = request.headers.authorization === undefined ? sessionTokenOf(request) : undefined;
  if (session !== undefined) {
    refuseForgery(request);
    return webSessions.find(session, beforeReading).then((open) => toSessionPrincipal(open, access));
  }
  if (token === '' && access === 'loopback' && isFromHere(request)) return defaultPrincipal(context);
  if (token === '') {
    throw new RenownError(
      'unauthorized',
      'This needs a key: send Authorization: Bearer pk_live_… or sk_live_….',
    );
  }
  if (token.startsWith('local_')) {
    refuseForeign(request, token, localToken);
    return localPrincipal(request, access, context);
  }
  const found = context.keys.find(token, beforeReading);
  return found instanceof Promise
    ? found.then((key) => toPrincipal(key, access))
    : toPrincipal(found, access);
}

function toPrincipal(
  key: { keyId: string; orgId: string; kind: 'pk' | 'sk' } | null,
  access: Access,
): Principal {
  if (!key) throw new RenownError('unauthorized', 'The key is unknown or revoked.');
  if (access === 'local') {
    throw new RenownError(
      'forbidden',
      'This concerns all orgs, and is done with the renown command on the machine itself.',
    );
  }
  if (access === 'sk' && key.kind !== 'sk') {
    throw new RenownError(
      'forbidden',
      'This needs an sk_live_… key; a pk_live_… key writes evaluations and reads scores.',
    );
  }
  return { orgId: key.orgId, actor: key.keyId, bucket: key.keyId };
}

function toSessionPrincipal(session: WebSession | null, access: Access): Principal {
  if (!session) throw new RenownError('unauthorized', 'The session has ended. Sign in again.');
  return toPrincipal({ ...session, keyId: session.keyId ?? 'owner' }, access);
}

/** The local token is good from this machine alone, whatever a proxy says. */
function refuseForeign(request: IncomingMessage, token: string, localToken: string): void {
  const [given, expected] = [Buffer.from(token), Buffer.from(localToken)];
  const known = given.length === expected.length && timingSafeEqual(given, expected);
  const { remoteAddress = '' } = request.socket;
  if (!known || !isLoopback(remoteAddress.replace(/^::ffff:/, ''))) {
    throw new RenownError(
      'unauthorized',
      'The local token is not that of this server, or comes from elsewhere.',
    );
  }
}

/** May do everything, on the org it names; what concerns all orgs names none. */
async function localPrincipal(
  { headers }: IncomingMessage,
  access: Access,
  { store }: Pick<ServiceContext, 'store'>,
): Promise<Principal> {
  const orgId = String(headers['x-renown-org'] ?? '');
  const concernsAll = orgId === '' && access === 'local';
  if (!concernsAll && !(await store.orgs.get(orgId))) {
    const orgs = await store.orgs.list();
    throw unknownOrg(
      orgId,
      orgs.map((org) => org.orgId),
    );
  }
  return { orgId, actor: 'cli', bucket: 'cli' };
}

/** Says which there are: a name with a slip in it finds its own way. */
export function unknownOrg(orgId: string, orgIds: readonly string[]): RenownError {
  const known =
    orgIds.length === 0
      ? 'there is none yet. `renown orgs create` makes one'
      : `there ${orgIds.length === 1 ? 'is' : 'are'} ${orgIds.join(', ')}`;
  return new RenownError('not_found', `There is no org "${orgId}"; ${known}.`);
}

/**
 * From this machine, by a name of this machine, and by nobody who passes on what others ask: a page that has its own name
 * point here names its host, and a proxy says for whom it speaks.
 */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = '' } = socket;
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return (
    isLoopback(remoteAddress.replace(/^::ffff:/, '')) &&
    (host === 'localhost' || isLoopback(host)) &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined
  );
}

const DEFAULT_ORG = 'default';

/** The org that the first start makes, or else the first there is. */
async function defaultPrincipal({ store }: Pick<ServiceContext, 'store'>): Promise<Principal> {
  const org = (await store.orgs.get(DEFAULT_ORG)) ?? (await store.orgs.list())[0];
  if (!org) throw new RenownError('unauthorized', 'There is no org yet; `renown orgs create` makes one.');
  return { orgId: org.orgId, actor: 'loopback', bucket: 'loopback' };
}
