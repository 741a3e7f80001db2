/**
 * The application: a request comes in, is matched, authenticated, counted, bounded, validated, handed to the service, and
 * answered. Written straight onto node:http, because every layer in between costs a share of what a node can serve
 * (docs/decisions/0006-plain-node-http.md).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import { z } from 'zod';
import { parseWith } from '../core/contract/parse.ts';
import { RenownError, toRenownError } from '../core/errors.ts';
import type { ServiceContext } from '../service/context.ts';
import type { WebSessions } from '../service/web-sessions.ts';
import { authenticate } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { type Cors, corsHeaders, preflight } from './cors.ts';
import { describeFailure } from './describe-failure.ts';
import type { Metrics } from './metrics.ts';
import { checkParams } from './params.ts';
import type { Allowance, RateLimit } from './rate-limit.ts';
import { readJson, readRaw } from './read-body.ts';
import { toErrorReply, writeReply, writeStreamHead } from './reply.ts';
import type { Reply, Route } from './route.ts';
import { Router } from './router.ts';

export interface AppOptions {
  context: ServiceContext;
  routes: readonly Route[];
  log: Logger;
  metrics: Metrics;
  rateLimit: RateLimit;
  localToken: string;
  webSessions: WebSessions;
  cors: Cors;
  trustedProxies: BlockList;
  /** Empty, or as `/renown`: what a proxy in front leaves at the beginning of paths. */
  basePath: string;
  /** Aborted when the server stops: nothing new is taken, and streams end. */
  stopping: AbortSignal;
}

/** One request under way, and what its log line will say. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  startedAt: number;
  matched: Route | null;
  actor: string;
  allowance: Allowance | null;
}

export function createApp(options: AppOptions): RequestListener {
  const router = new Router(options.routes);
  return (request, response) => {
    const exchange: Exchange = {
      request,
      response,
      requestId: requestIdOf(request, options.context.newId),
      startedAt: performance.now(),
      matched: null,
      actor: '',
      allowance: null,
    };
    answer(exchange, router, options)
      .catch((thrown) => refuse(exchange, thrown, options))
      .then((status) => note(exchange, status, options));
  };
}

async function answer(exchange: Exchange, router: Router, options: AppOptions): Promise<number> {
  const { request, response } = exchange;
  if (options.stopping.aborted) throw new RenownError('server_unavailable', 'The server is stopping.');
  if (request.method === 'OPTIONS') {
    return writeReply(response, preflight(request, options.cors), headersOf(exchange, options));
  }
  const { path, search } = split(request.url ?? '/', options.basePath);
  const { route, params, isMissing } = match(exchange, router, path);
  const address = clientAddress(request, options.trustedProxies);
  const spend = (bucket: string) => takeAllowance(exchange, options, bucket);
  const known = authenticate(request, { access: route.access, address }, { ...options, spend });
  const principal = known instanceof Promise ? await known : known;
  exchange.actor = principal.actor;
  spend(principal.bucket);
  checkParams(params);
  const query = route.query ? parseWith(route.query, parseQuery(search)) : noQuery(route, search);
  const { bytes, body } = await readBody(route, request);
  const asked = { params, query, body, bytes, caller: principal, request, address };
  const found = await route.handle(asked);
  const reply = isMissing ? { ...found, status: 404 } : found;
  return reply.stream
    ? stream(exchange, reply, options)
    : writeReply(response, reply, headersOf(exchange, options));
}

function match(exchange: Exchange, router: Router, path: string) {
  const found = router.find(exchange.request.method ?? '', path);
  if (found.route) {
    exchange.matched = found.route;
    return { ...found, isMissing: false };
  }
  if (found.methods.length === 0) {
    // Whoever typed an address is told so on a page, with the way back.
    const home = wantsPage(exchange.request) ? router.find('GET', '/') : null;
    if (home?.route) return { ...home, isMissing: true };
    throw new RenownError('not_found', 'There is nothing at this path; see /docs.');
  }
  exchange.response.setHeader('Allow', found.methods.join(', '));
  throw new RenownError('method_not_allowed', `This path takes ${found.methods.join(', ')}.`);
}

function wantsPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');
}

function takeAllowance(exchange: Exchange, { rateLimit }: AppOptions, bucket: string): void {
  exchange.allowance = rateLimit.take(bucket);
  if (exchange.allowance.allowed) return;
  throw new RenownError('rate_limited', 'Too many requests; Retry-After says for how many seconds to wait.');
}

async function stream(exchange: Exchange, reply: Reply, options: AppOptions): Promise<number> {
  const { response } = exchange;
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.on('close', leave);
  options.stopping.addEventListener('abort', leave, { once: true });
  try {
    writeStreamHead(response, reply, headersOf(exchange, options));
    if (exchange.request.method !== 'HEAD') await reply.stream?.({ response, gone: gone.signal });
    response.end();
  } finally {
    options.stopping.removeEventListener('abort', leave);
  }
  return reply.status ?? 200;
}

/** Answers what was thrown; when an answer has begun already, all that is left is to cut it off. */
function refuse(exchange: Exchange, thrown: unknown, options: AppOptions): number {
  const { response, requestId, request } = exchange;
  const error = toRenownError(thrown);
  const reply = exchange.matched?.refuse?.(error, exchange) ?? toErrorReply(error, requestId);
  if ((reply.status ?? 500) >= 500)
    options.log.error({ id: requestId, ...describeFailure(error) }, error.code);
  if (response.headersSent) {
    response.destroy();
    return reply.status ?? 500;
  }
  const headers = headersOf(exchange, options);
  // A body that was refused unread would be taken for the next request.
  if (!request.complete) headers.push('Connection', 'close');
  if (error.code === 'rate_limited')
    headers.push('Retry-After', String(exchange.allowance?.retryAfterS ?? 1));
  return writeReply(response, reply, headers);
}

function note(exchange: Exchange, status: number, { metrics, log }: AppOptions): void {
  const { requestId: id, matched, actor, startedAt } = exchange;
  // The pattern, never the path itself.
  const route = matched ? `${matched.method} ${matched.path}` : 'unknown';
  const ms = performance.now() - startedAt;
  metrics.observe(route, status, ms);
  log.info({ id, route, status, ms: Math.round(ms * 1000) / 1000, actor });
}

/** What every answer to this request carries. */
function headersOf({ request, requestId, allowance }: Exchange, { cors, stopping }: AppOptions): string[] {
  const headers = ['X-Request-Id', requestId];
  if (allowance) {
    headers.push('RateLimit-Limit', String(allowance.limit));
    headers.push('RateLimit-Remaining', String(allowance.remaining));
    headers.push('RateLimit-Reset', String(allowance.resetS));
  }
  if (request.headers.origin !== undefined) headers.push(...corsHeaders(request, cors));
  if (stopping.aborted) headers.push('Connection', 'close');
  return headers;
}

/** The caller's own id, when it is fit for a log; a new one otherwise. */
function requestIdOf({ headers }: IncomingMessage, newId: () => string): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : newId();
}

const NOTHING = z.strictObject({});

/** Badges and pages are asked for with all kinds of things behind them; whoever uses the API is told of a slip. */
function noQuery({ access }: Route, search: string): undefined {
  if (search !== '' && access !== 'anyone') parseWith(NOTHING, parseQuery(search));
}

const NO_BODY = { bytes: Buffer.alloc(0), body: undefined };

async function readBody(route: Route, request: IncomingMessage): Promise<{ bytes: Buffer; body: unknown }> {
  if (route.raw) {
    const { bytes, unpacked } = await readRaw(request, route.raw.types);
    return { bytes, body: unpacked };
  }
  if (!route.body) return NO_BODY;
  const { bytes, json } = await readJson(request);
  return { bytes, body: parseWith(route.body, json) };
}

function split(url: string, basePath: string): { path: string; search: string } {
  const at = url.indexOf('?');
  const full = at === -1 ? url : url.slice(0, at);
  const path = full.startsWith(`${basePath}/`) ? full.slice(basePath.length) : full === basePath ? '/' : '';
  return { path, search: at === -1 ? '' : url.slice(at + 1) };
}

/** A name given twice is refused rather than one of the two being taken. */
function parseQuery(search: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in query) throw new RenownError('invalid_request', 'The query names something twice.');
    query[name] = value;
  }
  return query;
}
