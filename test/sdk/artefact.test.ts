/** What the SDK weighs, and that it runs without the rest of the package. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const FOLDER = new URL('../../dist/renown-sdk/', import.meta.url);
const KIB = 1024;

describe('the SDK as an artefact of its own', () => {
  const files = readdirSync(FOLDER);

  it('weighs this much with gzip: what is loaded at once, and all of it', () => {
    const atOnce = files.filter((name) => !/^(json-schema|linear-pattern|verify-receipt)/.test(name));
    expect(weigh(atOnce)).toBeLessThanOrEqual(24 * KIB);
    expect(weigh(files)).toBeLessThanOrEqual(28.5 * KIB);
  });

  it('comes to 21 kB in a program that uses the client and the gates of the default suite', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { createEngine, Renown } from './index.ts';
          import { content, filesystem, injection, pii, secrets } from './gates.ts';
          globalThis.used = [createEngine, Renown, filesystem, pii, secrets, content, injection];`,
        resolveDir: new URL('../../src/sdk', import.meta.url).pathname,
      },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      external: ['re2js'],
    });
    expect(gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(21 * KIB);
  });

  it('has nothing of zod or DuckDB in it, and imports only the library for patterns', () => {
    const texts = files.map((name) => readFileSync(new URL(name, FOLDER), 'utf8')).join('\n');
    expect(texts).not.toMatch(/zod|duckdb/i);
    const imports = [...texts.matchAll(/(?:from|import)\s*\(?["']([^"'.][^"']*)["']/g)].map(
      ([, name]) => name,
    );
    expect(imports).toEqual(['re2js']);
  });

  it('judges like the sources do, JSON Schemas included', async () => {
    const { openSuite } = await import(new URL('index.js', FOLDER).href);
    const engine = await openSuite({ gates: ['filesystem', { schema: { schema: { type: 'string' } } }] });
    expect((await engine.evaluate({ agent_id: 'a', output: 'rm -rf /' })).passed).toBe(false);
    expect((await engine.evaluate({ agent_id: 'a', output: 'hello' })).passed).toBe(true);
    expect((await engine.evaluate({ agent_id: 'a', output: ['hello'] })).passed).toBe(false);
  });
});

function weigh(names: readonly string[]): number {
  return names.reduce(
    (sum, name) => sum + gzipSync(readFileSync(new URL(name, FOLDER)), { level: 9 }).length,
    0,
  );
}
