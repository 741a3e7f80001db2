/** Routes without a socket: what the renown command uses when no server has the store open. */
import { parseWith } from '../core/contract/parse.ts';
import { RenownError } from '../core/errors.ts';
import type { Caller } from '../service/context.ts';
import { checkParams } from './params.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';

export interface Asking {
  method?: Route['method'];
  /** With its query. */
  path: string;
  body?: unknown;
}

/** Answers as the server would, or throws what it would refuse with. */
export function createInProcess(routes: readonly Route[]) {
  const router = new Router(routes);
  return async (caller: Caller, { method = 'GET', path, body }: Asking): Promise<unknown> => {
    const { pathname, searchParams } = new URL(path, 'http://in.process');
    const found = router.find(method, pathname);
    if (!found.route) throw new RenownError('not_found', `There is nothing at ${pathname}.`);
    const { route, params } = found;
    checkParams(params);
    const reply = await route.handle({
      params,
      query: route.query && parseWith(route.query, Object.fromEntries(searchParams)),
      body: route.body && parseWith(route.body, body),
      bytes: Buffer.alloc(0),
      caller,
      request: { headers: {} } as Parameters<typeof route.handle>[0]['request'],
      address: '',
    });
    return reply.json;
  };
}
