import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { toTime } from '../../core/contract/fields.ts';
import { type Me, meAnswer, signInRequest } from '../../core/contract/sign-in.ts';
import { RenownError } from '../../core/errors.ts';
import type { ServiceContext } from '../../service/context.ts';
import type { WebSession, WebSessions } from '../../service/web-sessions.ts';
import { isLoopback, isSecure } from '../client-address.ts';
import { type Route, route } from '../route.ts';
import { refuseForgery, sessionCookie, sessionTokenOf } from '../session-cookie.ts';

const tag = 'Dashboard';
const access = 'anyone';
const dashboard = true;

interface SignInContext {
  context: ServiceContext;
  webSessions: WebSessions;
  trustedProxies: BlockList;
  basePath: string;
  version: string;
}

/** How a browser gets its session, and how it gives it back. */
export function signInRoutes({
  context,
  webSessions,
  trustedProxies,
  basePath,
  version,
}: SignInContext): Route[] {
  const cookie = (token: string, request: IncomingMessage) => [
    'Set-Cookie',
    sessionCookie(token, { path: basePath || '/', secure: isSecure(request, trustedProxies) }),
  ];
  const describe = async (session: WebSession): Promise<Me> => ({
    signed_in: true,
    version,
    org_id: session.orgId,
    org_name: (await context.store.orgs.get(session.orgId))?.name ?? session.orgId,
    kind: session.kind,
    key_id: session.keyId,
    expires_at: toTime(session.expiresAt),
  });

  return [
    route({
      method: 'GET',
      path: '/dashboard/me',
      access,
      tag,
      dashboard,
      summary: 'Who is signed in',
      answers: { 200: { description: 'Nobody is no error', schema: meAnswer } },
      async handle({ request }) {
        const session = await webSessions.find(sessionTokenOf(request) ?? '', () => undefined);
        return { json: session ? await describe(session) : { signed_in: false, version } };
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/sign-in',
      access,
      tag,
      dashboard,
      summary: 'Exchange a key, or the link printed at the start, for a session in a cookie',
      body: signInRequest,
      answers: { 201: { description: 'Signed in', schema: meAnswer } },
      async handle({ body, request, address }) {
        refuseForgery(request);
        if ('link' in body && !isLoopback(address)) {
          throw new RenownError('forbidden', 'The link is for the machine that the server runs on.');
        }
        const { token, session } =
          'key' in body ? await webSessions.openWithKey(body.key) : await webSessions.openWithLink(body.link);
        return { status: 201, json: await describe(session), headers: cookie(token, request) };
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/sign-out',
      access,
      tag,
      dashboard,
      summary: 'End the session',
      answers: { 200: { description: 'Nobody is signed in', schema: meAnswer } },
      async handle({ request }) {
        refuseForgery(request);
        await webSessions.close(sessionTokenOf(request) ?? '');
        return { json: { signed_in: false, version }, headers: cookie('', request) };
      },
    }),
  ];
}
