/** A caller that knows nothing but the document: it takes everything it sends from there, and believes no answer. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startServer, type TestServer } from '../support/server.ts';

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; required: boolean; example?: string }[];
  requestBody?: { content: Record<string, { schema: object; example: unknown }> };
  responses: Record<string, { content: Record<string, { schema: { $ref?: string; type?: string } }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

let server: TestServer;
let document: Document;
beforeAll(async () => {
  server = await startServer();
  document = (await send(server.url, '/openapi.json', {})).json;
});
afterAll(() => server.stop());

it('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate({ ...document });
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
});

it('has an example for every request, and each example fits its schema', () => {
  for (const { operation } of operations()) {
    const body = operation.requestBody?.content['application/json'];
    if (!body) continue;
    expect(body.example, operation.operationId).toBeDefined();
    expectFit(body.schema, body.example, operation.operationId);
  }
});

describe('every operation', () => {
  it('answers as the document says, to a caller who knows only the document', async () => {
    /** Ids from earlier answers, by the name of the parameter they fit. */
    const known = new Map<string, string>();
    const failures: string[] = [];
    for (const { path, method, operation } of operations().sort(byOrder)) {
      const { status, text, json, headers } = await call(path, method, operation, known);
      const expected = operation.responses[String(status)] ?? operation.responses.default;
      const type = String(headers['content-type']).split(';')[0] ?? '';
      const content = expected?.content[type];
      if (!content || status >= 400) {
        failures.push(`${operation.operationId}: ${status} ${type} ${text.slice(0, 200)}`);
        continue;
      }
      if (type === 'application/json') {
        expectFit(content.schema, json, operation.operationId);
        learn(json, known);
      } else expect(text.length, operation.operationId).toBeGreaterThan(0);
    }
    expect(failures).toEqual([]);
  });

  it('refuses a caller without a key with the error of the document, where a key is asked for', async () => {
    for (const { path, method, operation } of operations()) {
      if (operation.security.length === 0) continue;
      const answer = await send(server.url, path.replace(/\{\w+\}/g, 'x'), { method: method.toUpperCase() });
      expect(answer.status, operation.operationId).toBe(401);
      expectFit({ $ref: '#/components/schemas/Error' }, answer.json, operation.operationId);
    }
  });
});

function operations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** What makes things comes first, and what deletes them last; the shorter path before what lies under it. */
function byOrder(a: { method: string; path: string }, b: { method: string; path: string }): number {
  const order = ['post', 'put', 'patch', 'get', 'delete'];
  return order.indexOf(a.method) - order.indexOf(b.method) || a.path.length - b.path.length;
}

async function call(path: string, method: string, operation: Operation, known: Map<string, string>) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((one) => one.name === name && one.in === 'path');
    return encodeURIComponent(known.get(name) ?? parameter?.example ?? 'unknown');
  });
  const key = operation.security.some((one) => 'secretKey' in one) ? server.sk : server.pk;
  const body = operation.requestBody?.content['application/json']?.example;
  if (Object.values(operation.responses).some(({ content }) => 'text/event-stream' in content)) {
    return readSome(filled, key);
  }
  return send(server.url, filled, {
    method: method.toUpperCase(),
    ...(operation.security.length > 0 && { key }),
    ...(body !== undefined && { body }),
  });
}

/** The first piece of an answer without end. */
async function readSome(path: string, key: string) {
  const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const reader = answer.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  const headers = { 'content-type': answer.headers.get('content-type') ?? '' };
  return { status: answer.status, headers, text: new TextDecoder().decode(value), json: undefined };
}

/** `key_id` of an answer fits the parameter `keyId`, and a hash likewise. */
function learn(json: unknown, known: Map<string, string>): void {
  if (typeof json !== 'object' || json === null) return;
  for (const [name, value] of Object.entries(json)) {
    const parameter = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (/_(id|hash)$/.test(name) && typeof value === 'string' && !known.has(parameter))
      known.set(parameter, value);
  }
}

function expectFit(schema: object, value: unknown, what: string): void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile({ ...schema, components: document.components });
  validate(value);
  expect(validate.errors ?? [], `${what}: ${JSON.stringify(value)?.slice(0, 300)}`).toEqual([]);
}
