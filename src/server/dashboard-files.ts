/** The dashboard as the build made it: a page, and files whose names change with what is in them. Held in memory. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { escapeHtml } from './page.ts';

export interface DashboardFile {
  type: string;
  body: Buffer;
  gzip: Buffer;
}

export interface DashboardFiles {
  page: string;
  assets: ReadonlyMap<string, DashboardFile>;
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Renown</title>
<p>The dashboard has not been built: run <code>npm run build</code>. The API is there: <a href="docs">docs</a>.</p></html>
`;

/** Beside the compiled server or, for a server that runs from its sources, where the build puts it. */
const FOLDERS = ['../web/assets/', '../../dist/web/assets/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

export function readDashboardFiles(basePath: string): DashboardFiles {
  const folder = FOLDERS.find((path) => existsSync(path));
  if (folder === undefined) return { page: NOT_BUILT, assets: new Map() };
  const assets = new Map<string, DashboardFile>();
  for (const name of readdirSync(folder)) {
    const body = readFileSync(`${folder}${name}`);
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    assets.set(name, { type, body, gzip: gzipSync(body, { level: 9 }) });
  }
  const page = readFileSync(`${folder}../index.html`, 'utf8');
  return { page: page.replace('href="/"', `href="${escapeHtml(basePath)}/"`), assets };
}
