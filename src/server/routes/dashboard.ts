import { z } from 'zod';
import { RenownError } from '../../core/errors.ts';
import { type DashboardFile, readDashboardFiles } from '../dashboard-files.ts';
import { type Reply, type Route, route } from '../route.ts';

/** Where the dashboard has its pages. Each is the same document; its script reads the path. */
const PAGES = [
  '/',
  '/sign-in',
  '/agents/:agentId',
  '/sessions',
  '/sessions/:sessionId',
  '/runs',
  '/runs/:runId',
  '/monitors/:monitorId',
  '/events',
  '/alerts',
  '/settings',
];

/** Everything comes from this server, and nothing runs that is not a file of ours. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const YEAR = 'public, max-age=31536000, immutable';

export function dashboardRoutes(basePath: string): Route[] {
  const { page, assets } = readDashboardFiles(basePath);
  const document: Reply = {
    text: { type: 'text/html; charset=utf-8', body: page },
    headers: ['Content-Security-Policy', POLICY, 'Cache-Control', 'no-cache'],
  };
  const common = { method: 'GET', access: 'anyone', tag: 'Dashboard', dashboard: true } as const;
  return [
    ...PAGES.map((path) =>
      route({
        ...common,
        path,
        summary: 'The dashboard',
        // What a page shows is in its query, which only its script reads.
        query: z.looseObject({}),
        answers: { 200: { description: 'A page', type: 'text/html' } },
        handle: () => document,
      }),
    ),
    route({
      ...common,
      path: '/assets/:file',
      summary: 'A file of the dashboard',
      answers: { 200: { description: 'Script, style or picture', type: 'text/javascript' } },
      handle({ params, request }) {
        const asset = assets.get(params.file);
        if (!asset) throw new RenownError('not_found', 'The dashboard has no file of that name.');
        return toReply(asset, String(request.headers['accept-encoding'] ?? ''));
      },
    }),
  ];
}

function toReply({ type, body, gzip }: DashboardFile, accepted: string): Reply {
  const compressed = /\bgzip\b/.test(accepted);
  return {
    text: { type, body: compressed ? gzip : body },
    headers: [
      ...['Cache-Control', YEAR, 'Vary', 'Accept-Encoding', 'Content-Security-Policy', "default-src 'none'"],
      ...(compressed ? ['Content-Encoding', 'gzip'] : []),
    ],
  };
}
