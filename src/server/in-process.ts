/** The API without a server: the same table of routes, asked by the process that has the store open. */
import type { IncomingMessage } from 'node:http';
import { parseWith } from '../core/contract/parse.ts';
import { RenownError } from '../core/errors.ts';
import type { Caller, ServiceContext } from '../service/context.ts';
import { checkParams } from './params.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';

export interface Asking {
  method: string;
  /** With its query. */
  path: string;
  body?: unknown;
}

/** Answers with the JSON that the server would have sent, and throws what it would have refused with. */
export function createInProcess(context: ServiceContext, routesOf: (context: ServiceContext) => Route[]) {
  const router = new Router(routesOf(context));
  return async (caller: Caller, { method, path, body }: Asking): Promise<unknown> => {
    const { pathname, searchParams } = new URL(path, 'http://in-process');
    const { route, params } = matched(router.find(method, pathname));
    checkParams(params);
    const { json } = await route.handle({
      params,
      query: route.query && parseWith(route.query, Object.fromEntries(searchParams)),
      body: route.body && parseWith(route.body, body),
      bytes: Buffer.alloc(0),
      caller,
      // No route that the command line asks for looks at it.
      request: { headers: {} } as IncomingMessage,
      address: '127.0.0.1',
    });
    return json;
  };
}

function matched(found: ReturnType<Router['find']>) {
  if (found.route) return found;
  throw new RenownError('not_found', 'There is nothing at this path.');
}
