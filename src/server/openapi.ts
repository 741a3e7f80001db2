/** The OpenAPI 3.1 document, made from the same table as the answers. */
import { z } from 'zod';
import { ERRORS } from '../core/errors.ts';
import { PARAMS } from './params.ts';
import type { Access, Answer, Route } from './route.ts';

type Json = Record<string, unknown>;

/** Ids in examples are those that the examples of requests make, so that the document can be tried as it stands. */
const PARAM_EXAMPLES: Record<string, string> = {
  agentId: 'support-bot',
  evaluationId: 'example-1',
  identityId: '5b0a4c1e-0f0e-5c39-9c5c-0b7c3a1f2d4e',
  sessionId: 'session-1',
  org: 'acme',
};

const errorBody = z.object({
  error: z.string().meta({ description: 'What happened, to what, and what to do' }),
  code: z.enum(Object.keys(ERRORS) as [keyof typeof ERRORS]),
  status: z.int(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  request_id: z.string(),
});

export function createOpenApi(
  routes: readonly Route[],
  { version, basePath }: { version: string; basePath: string },
): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    if (!isPublished(route)) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const item = paths[path] ?? {};
    paths[path] = item;
    item[route.method.toLowerCase()] = toOperation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Renown',
      version,
      summary: 'The record of AI agents, turned into trust.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: [...new Set(routes.filter(isPublished).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: toSchema(errorBody, 'output') },
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'pk_live_… or sk_live_…' },
        secretKey: { type: 'http', scheme: 'bearer', description: 'sk_live_…' },
      },
    },
  };
}

/** What only the command line or the dashboard uses is no part of the API. */
function isPublished({ access, dashboard }: Route): boolean {
  return access !== 'local' && !dashboard;
}

function toOperation(route: Route): Json {
  const { summary, description, tag, access, body, raw, answers } = route;
  return {
    operationId: operationId(route),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: SECURITY[access],
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': toContent(body) } },
    }),
    ...(raw && { requestBody: { required: true, content: toRawContent(raw.types) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, toResponse(answer)])),
      default: {
        description: 'An error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

const SECURITY: Record<Access, Json[]> = {
  anyone: [],
  pk: [{ key: [] }],
  sk: [{ secretKey: [] }],
  local: [],
  loopback: [{ key: [] }],
};

function operationId({ method, path }: Route): string {
  const words = path.split('/').filter((word) => word !== '' && word !== 'v1');
  return [method.toLowerCase(), ...words.map((word) => word.replace(/\W/g, '_').replace(/^_/, 'of_'))].join(
    '_',
  );
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: toSchema(PARAMS[name] ?? z.string(), 'input'),
    ...(PARAM_EXAMPLES[name] !== undefined && { example: PARAM_EXAMPLES[name] }),
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toSchema(query, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function headerParameters({ headers = {} }: Route): Json[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function toResponse({ description, schema, type = 'application/json' }: Answer): Json {
  const contentOf = (one: string) =>
    schema && one === 'application/json' ? toSchema(schema, 'output') : { type: 'string' };
  const content = [type].flat().map((one) => [one, { schema: contentOf(one) }]);
  return { description, content: Object.fromEntries(content) };
}

/** A request with its example where tools look for it. */
function toContent(schema: z.ZodType): Json {
  const { example, ...rest } = toSchema(schema, 'input');
  return { schema: rest, ...(example !== undefined && { example }) };
}

/** An empty request is one, in either encoding. */
function toRawContent(types: readonly string[]): Json {
  const asJson = { schema: { type: 'object' }, example: { resourceLogs: [] } };
  return Object.fromEntries(
    types.map((type) => [
      type,
      type === 'application/json' ? asJson : { schema: { type: 'string', format: 'binary' } },
    ]),
  );
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // The format says it; zod's pattern for the same is half a page.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  return json;
}
