import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findExits, findHiddenImports, findImports, findImpurities } from './support/source.ts';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

interface Layer {
  /** The layers it may import from, beside itself. */
  from: readonly string[];
  /** The packages it may import; `node:*` stands for everything Node brings along. */
  packages: readonly string[];
  /** No clock, no randomness, no environment. */
  pure?: true;
  /** Of core only the files that need no package, themselves or through what they import. */
  packageFreeCore?: true;
}

/**
 * The house in one table. A layer that has no folder yet has its place here already, so that the first file in it
 * stands where it belongs; its packages join with the code that uses them.
 */
const LAYERS: Record<string, Layer> = {
  package: { from: [], packages: ['node:*'] },
  core: { from: [], packages: ['zod'], pure: true },
  gates: { from: ['core'], packages: ['re2js'], packageFreeCore: true },
  telemetry: { from: ['package', 'core'], packages: ['node:*'] },
  store: { from: ['package', 'core'], packages: ['node:*', '@duckdb/node-api', '@clickhouse/client'] },
  service: { from: ['core', 'gates', 'telemetry', 'store'], packages: ['node:*', 'zod', 'croner'] },
  server: {
    from: ['package', 'core', 'gates', 'telemetry', 'store', 'service'],
    packages: ['node:*', 'zod', 'pino', 'uuidv7'],
  },
  sdk: { from: ['core', 'gates'], packages: ['node:*', 'yaml'], packageFreeCore: true },
  proxy: { from: ['core', 'gates', 'sdk'], packages: ['node:*'] },
  cli: {
    from: ['package', 'core', 'gates', 'telemetry', 'store', 'service', 'server', 'sdk', 'proxy'],
    packages: ['node:*', '@modelcontextprotocol/server', 'zod', 'uuidv7', 'pino', 'yaml'],
  },
};

interface SourceFile {
  path: string;
  layer: string;
  text: string;
  /** Files of src it imports. */
  files: string[];
  packages: string[];
}

const sources = readSources();

describe('the layers of src', () => {
  it('are the folders there are, each with its place in the table', () => {
    const folders = readdirSync(SRC).filter((name) => statSync(join(SRC, name)).isDirectory());
    expect(folders.filter((name) => !(name in LAYERS))).toEqual([]);
    expect(readdirSync(SRC).filter((name) => !folders.includes(name))).toEqual([]);
    expect(sources.length).toBeGreaterThan(20);
  });

  it.each(Object.keys(LAYERS))('%s imports only from the layers below it', (layer) => {
    const allowed = [layer, ...rulesOf(layer).from];
    const wrong = sourcesOf(layer).flatMap(({ path, files }) =>
      files.filter((file) => !allowed.includes(layerOf(file))).map((file) => `${path} imports ${file}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(LAYERS))('%s uses only the packages it is allowed', (layer) => {
    const { packages: allowed } = rulesOf(layer);
    const permits = (name: string) => allowed.includes(name.startsWith('node:') ? 'node:*' : name);
    const wrong = sourcesOf(layer).flatMap(({ path, packages }) =>
      packages.filter((name) => !permits(name)).map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(layersWith('packageFreeCore'))('%s reaches no package through core', (layer) => {
    const reached = reachableFrom(sourcesOf(layer)).filter(({ packages }) => packages.length > 0);
    const inCore = reached.filter((source) => source.layer === 'core');
    expect(inCore.map(({ path, packages }) => `${path} needs ${packages}`)).toEqual([]);
  });

  it('let renown/sdk run anywhere: nothing of Node, and no package but the one that a pattern loads', () => {
    const door = sources.filter(({ path }) => path === 'sdk/index.ts');
    expect(door).toHaveLength(1);
    expect(new Set(reachableFrom(door).flatMap(({ packages }) => packages))).toEqual(new Set(['re2js']));
  });

  it.each(layersWith('pure'))('%s is pure', (layer) => {
    const impure = sourcesOf(layer).flatMap(({ path, text }) =>
      findImpurities(text).map((what) => `${path} uses ${what}`),
    );
    expect(impure).toEqual([]);
  });

  it('hold TypeScript and migrations, and nothing that these tests would not see', () => {
    const others = filesOfSrc().filter((path) => !/\.(ts|sql)$/.test(path) || path.endsWith('.d.ts'));
    expect(others).toEqual([]);
    const hidden = sources.flatMap(({ path, text }) =>
      findHiddenImports(text).map((what) => `${path} uses ${what}`),
    );
    expect(hidden).toEqual([]);
  });

  it('leave it to one file to know where it lies, because in a bundle no other does', () => {
    const knowing = sources.filter(({ text }) => text.includes('import.meta')).map(({ path }) => path);
    expect(knowing).toEqual(['package/package-files.ts']);
  });

  it('leave ending the process to the cli', () => {
    const exits = sources
      .filter(({ layer }) => layer !== 'cli')
      .flatMap(({ path, text }) => findExits(text).map((what) => `${path} calls ${what}`));
    expect(exits).toEqual([]);
  });

  it('know the port of the store, what of it counts, how to open one and how to write Parquet, and no engine', () => {
    const doors = ['store/store.ts', 'store/evaluation-window.ts', 'store/open-store.ts', 'store/parquet.ts'];
    const wrong = sources
      .filter(({ layer }) => layer !== 'store')
      .flatMap(({ path, files }) =>
        files
          .filter((file) => layerOf(file) === 'store' && !doors.includes(file))
          .map((file) => `${path} imports ${file}`),
      );
    expect(wrong).toEqual([]);
  });

  it('have no circle of imports among their files', () => {
    expect(
      sources.filter((source) => reachableFrom([source], false).includes(source)).map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('the dashboard', () => {
  const folder = fileURLToPath(new URL('../web', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));

  it('takes types from the contract, and nothing that would bring a schema into the browser', () => {
    const wrong = files.flatMap(({ path, text }) =>
      findImports(text.replace(/^(import|export) type [^;]+;$/gm, ''))
        .filter((name) => name.includes('/src/') || name === 'zod')
        .map((name) => `${path} imports ${name}`),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });

  it('is made with three packages', () => {
    const packages = files.flatMap(({ text }) =>
      findImports(text.replace(/^(import|export) type [^;]+;$/gm, '')).filter(
        (name) => !name.startsWith('.'),
      ),
    );
    expect([...new Set(packages.map(packageName))].sort()).toEqual(['@preact/signals', 'preact', 'uplot']);
  });
});

describe('what these tests read out of a source', () => {
  it('finds every way to import', () => {
    const text = `
      import { a } from './a.ts';
      import type { B } from "../b.ts";
      export * from './c.ts';
      const d = await import('./d.ts');
      import 'package/e';
      // import './not-this.ts'
      const text = "import './nor-this.ts'";
    `;
    expect(findImports(text)).toEqual(['./a.ts', '../b.ts', './c.ts', './d.ts', 'package/e']);
  });

  it.each([
    'import(name)',
    "const load = require; load('fs')",
    "eval('1')",
    "new Function('return 1')",
    '/// <reference types="node" />',
  ])('finds a hidden import in %s', (text) => {
    expect(findHiddenImports(text)).toHaveLength(1);
  });

  it('finds no hidden import in a plain one', () => {
    expect(
      findHiddenImports("const { a } = await import('./a.ts'); const x = { require: 1 }.require;"),
    ).toEqual([]);
  });

  it.each([
    'Date.now()',
    "Date['now']()",
    'new Date()',
    'const { now } = Date;',
    'const D = Date;',
    'Math.random()',
    'const { random } = Math;',
    'process.env.HOME',
    'performance.now()',
    'console.log(1)',
    'setTimeout(() => 1, 1)',
    "fetch('')",
    'crypto.randomUUID()',
    'globalThis.foo',
    'new Intl.DateTimeFormat()',
    'Buffer.from([])',
    'import.meta.url',
    'const x = { Date };',
  ])('calls %s impure', (text) => {
    expect(findImpurities(text)).toHaveLength(1);
  });

  it('calls arithmetic, types, its own names and members of the same name pure', () => {
    const text = `
      import { fetch } from './ours.ts';
      type Now = typeof Date;
      const process = (performance: Now, x: { console: number }) => Math.max(x.console, Number(performance));
      export const crypto = [process(1 as never, { console: 2 }), fetch(3)];
      export const time = [new Date(0).toISOString(), Date.parse('1970-01-01')];
    `;
    expect(findImpurities(text)).toEqual([]);
  });

  it('finds an exit, and not a name like it', () => {
    expect(findExits('process.exit(1)')).toEqual(['process.exit']);
    expect(findExits("process.kill(process.pid, 'SIGKILL')")).toEqual(['process.kill']);
    expect(findExits('process.exitCode = 1; door.exit(); process.kill(other, 0)')).toEqual([]);
  });
});

function filesOfSrc(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(SRC, path)).isFile(),
  );
}

function readSources(): SourceFile[] {
  return filesOfSrc()
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => {
      const text = readFileSync(join(SRC, path), 'utf8');
      const imports = findImports(text);
      return {
        path,
        layer: layerOf(path),
        text,
        files: imports
          .filter((name) => name.startsWith('.'))
          .map((name) => relative(SRC, resolve(SRC, dirname(path), name))),
        packages: imports.filter((name) => !name.startsWith('.')).map(packageName),
      };
    });
}

function reachableFrom(start: readonly SourceFile[], including = true): SourceFile[] {
  const reached = new Set<SourceFile>(including ? start : []);
  const queue = [...start];
  for (const source of queue) {
    for (const file of source.files) {
      const next = sources.find(({ path }) => path === file);
      if (!next || reached.has(next)) continue;
      reached.add(next);
      queue.push(next);
    }
  }
  return [...reached];
}

function layersWith(rule: 'pure' | 'packageFreeCore'): string[] {
  return Object.keys(LAYERS).filter((layer) => rulesOf(layer)[rule]);
}

function sourcesOf(layer: string): SourceFile[] {
  return sources.filter((source) => source.layer === layer);
}

function rulesOf(layer: string): Layer {
  return LAYERS[layer] ?? { from: [], packages: [] };
}

function layerOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** `@scope/name/deep` as `@scope/name`, `name/deep` as `name`; `node:fs/promises` stays as it is. */
function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
