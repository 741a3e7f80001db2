/** The frame of the few pages the server renders itself, and the headers that keep them to themselves. */
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875rem; }
pre { overflow: auto; max-height: 24rem; padding: 0.75rem; border: 1px solid #8885; border-radius: 6px; }
details { border-top: 1px solid #8885; padding: 0.5rem 0; } summary { cursor: pointer; }
summary code:first-child { display: inline-block; width: 4rem; font-weight: 600; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: 0.3rem 0.6rem 0.3rem 0; }
input { font: inherit; width: 28rem; max-width: 100%; } button { font: inherit; } small { opacity: 0.7; }`;

export function renderPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>
`;
}

export function pageHeaders(): string[] {
  return [
    'Content-Security-Policy',
    `default-src 'none'; style-src ${hashOf(STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Cache-Control',
    'no-cache',
  ];
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
