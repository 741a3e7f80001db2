// Builds dist/: the compiler for what runs on Node, esbuild for the SDK and the dashboard. `buildIfStale` does so only when a source is newer than the last build, which costs a few
// milliseconds of looking at times; `node scripts/build.js` always builds.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stamp = join(dist, '.built');
const require = createRequire(import.meta.url);

export function build() {
  const started = new Date();
  // Built aside and moved into place whole, because another process may be starting from dist/ right now.
  const fresh = join(root, `dist.${process.pid}`);
  const { status } = spawnSync(
    process.execPath,
    [findCompiler(), '--project', join(root, 'tsconfig.build.json'), '--outDir', fresh],
    // Standard output belongs to whatever command is about to run.
    { cwd: root, stdio: ['ignore', 2, 2] },
  );
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error('The build failed; see the messages of the compiler above.');
  }
  // The compiler leaves the migrations behind.
  cpSync(join(root, 'src'), fresh, {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || path.endsWith('.sql'),
  });
  try {
    bundleProgram(join(fresh, 'renown'));
    bundleSdk(fresh);
    bundleDashboard(join(fresh, 'web'));
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  // The time the build began: a source saved while it ran makes it stale.
  writeFileSync(join(fresh, '.built'), '');
  utimesSync(join(fresh, '.built'), started, started);
  const old = `${fresh}.old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

/**
 * The program as a few files: a command starts a third sooner than from a file for each module. Each command is still
 * loaded when it is asked for, and packages stay packages.
 *
 * @param {string} folder
 */
function bundleProgram(folder) {
  esbuild().buildSync({
    entryPoints: ['cli/main.ts', 'telemetry/files/range-worker.ts'].map((path) => join(root, 'src', path)),
    entryNames: '[name]',
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
}

/**
 * The SDK as a small artefact of its own, for whoever wants it without the rest of the package. What only JSON Schemas
 * need is a file apart, loaded with the first one; the library for patterns stays outside, because it is larger than
 * everything else together.
 *
 * @param {string} folder
 */
function bundleSdk(folder) {
  esbuild().buildSync({
    entryPoints: [join(root, 'src/sdk/index.ts')],
    outdir: join(folder, 'renown-sdk'),
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    external: ['re2js'],
    logLevel: 'error',
  });
}

/**
 * The dashboard: a page, and files whose names carry a hash of what is in them, so that a browser may keep them for ever.
 *
 * @param {string} folder
 */
export function bundleDashboard(folder) {
  const { metafile } = esbuild().buildSync({
    entryPoints: ['main.tsx', 'main.css', 'theme.ts', 'icon.svg'].map((name) => join(root, 'web', name)),
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
    logLevel: 'error',
  });
  let page = readFileSync(join(root, 'web/index.html'), 'utf8');
  for (const path of Object.keys(metafile.outputs)) {
    const name = basename(path);
    page = page.replace(`assets/${name.replace(/-[A-Z0-9]{8}(?=\.)/, '')}`, `assets/${name}`);
  }
  writeFileSync(join(folder, 'index.html'), page);
}

/**
 * Loaded when something is built: it takes longer to load than most commands to run.
 *
 * @returns {typeof import('esbuild')}
 */
function esbuild() {
  return require('esbuild');
}

function findCompiler() {
  try {
    return require.resolve('typescript/bin/tsc');
  } catch {
    throw new Error(
      'The compiler is missing: run `npm ci`, with development dependencies, in this checkout.',
    );
  }
}

export function buildIfStale() {
  if (newestSource() <= modified(stamp)) return;
  process.stderr.write('renown: building…\n');
  build();
}

function newestSource() {
  const sources = ['src', 'web', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].map((name) =>
    join(root, name),
  );
  return Math.max(...sources.flatMap(treeTimes));
}

/** @param {string} path @returns {number[]} */
function treeTimes(path) {
  // A folder's own time tells of files that were deleted.
  const stats = statSync(path);
  if (!stats.isDirectory()) return [stats.mtimeMs];
  return [stats.mtimeMs, ...readdirSync(path).flatMap((name) => treeTimes(join(path, name)))];
}

/** @param {string} path */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build();
