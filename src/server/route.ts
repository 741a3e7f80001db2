/**
 * A route is all that is known of one operation: how it is asked for, who may ask, what goes in and what comes out. The
 * same table makes the server's answers and the OpenAPI document, so that they cannot disagree.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { RenownError } from '../core/errors.ts';
import type { Caller } from '../service/context.ts';

/**
 * Who may ask. `anyone` needs no key, `pk` either key of an org, `sk` the one that administers, `local` the token that
 * a running server leaves beside its store. `loopback` is as `pk`, but whoever asks from this machine without a key speaks
 * for the default org.
 */
export type Access = 'anyone' | 'pk' | 'sk' | 'local' | 'loopback';

type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : object;

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface Asked<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** The body as it was sent, for a signature; empty where none is read. */
  bytes: Buffer;
  /** Empty org for routes that need no key. */
  caller: Caller;
  request: IncomingMessage;
  /** From whom it came, seen through the proxies we trust. */
  address: string;
}

/** What goes back: JSON unless it says otherwise. */
export interface Reply {
  status?: number;
  json?: unknown;
  text?: { type: string; body: string | Buffer };
  headers?: readonly string[];
  /**
   * Writes the body itself, for what has no end or is too large for memory; `text.type` is its type. `gone` is aborted when
   * the client leaves or the server stops.
   */
  stream?: (to: { response: ServerResponse; gone: AbortSignal }) => Promise<void>;
}

export interface Answer {
  description: string;
  /** JSON of this shape, or a body of another type. */
  schema?: z.ZodType;
  type?: string | readonly string[];
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  access: Access;
  tag: string;
  summary: string;
  description?: string;
  query?: z.ZodType;
  /** Headers that it reads beyond those of every request, by what each says. */
  headers?: Readonly<Record<string, string>>;
  body?: z.ZodType;
  /** Takes a body of these types as it is; `body` is then what was sent, unpacked. */
  raw?: { types: readonly string[] };
  answers: Record<number, Answer>;
  /** How an error is told to those who do not speak our JSON. */
  refuse?(error: RenownError, asked: { request: IncomingMessage; requestId: string }): Reply;
  /** Part of the dashboard, which may change with it; no part of the API and its document. */
  dashboard?: true;
  handle(asked: Asked<object, unknown, unknown>): Reply | Promise<Reply>;
}

/** Ties the types of a route's parts to its handler. */
export function route<
  const Path extends string,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  definition: Omit<Route, 'path' | 'query' | 'body' | 'handle'> & {
    path: Path;
    query?: Query;
    body?: Body;
    handle(asked: Asked<ParamsOf<Path>, OutputOf<Query>, OutputOf<Body>>): Reply | Promise<Reply>;
  },
): Route {
  return definition as unknown as Route;
}
