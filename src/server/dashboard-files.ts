/** The dashboard as the build made it: a page, and files whose names change with what is in them. Held in memory. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { dashboardFolder } from '../package/package-files.ts';
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

const ASSETS = new URL('assets/', dashboardFolder);

export function readDashboardFiles(basePath: string): DashboardFiles {
  if (!existsSync(ASSETS)) return { page: NOT_BUILT, assets: new Map() };
  const assets = new Map<string, DashboardFile>();
  for (const name of readdirSync(ASSETS)) {
    const body = readFileSync(new URL(name, ASSETS));
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    assets.set(name, { type, body, gzip: gzipSync(body, { level: 9 }) });
  }
  const page = readFileSync(new URL('index.html', dashboardFolder), 'utf8');
  return { page: page.replace('href="/"', `href="${escapeHtml(basePath)}/"`), assets };
}
