/** A real browser for tests of the dashboard: Debian's Chromium, driven by playwright-core. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Tool } from './describe-with.ts';

export const CHROMIUM: Tool = {
  name: 'Chromium',
  probe: ['chromium', '--version'],
  install: 'apt-get install chromium, or the browser of your system under that name',
};

/** A server and a browser are two programs to start, on a machine that may be busy. */
export const STARTING_MS = 180_000;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Containers run as root and have little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** What a page must never do; filled while it is looked at. */
export interface Complaints {
  errors: string[];
  foreign: string[];
}

export async function openPage(
  context: BrowserContext,
  origin: string,
): Promise<{ page: Page; complaints: Complaints }> {
  const page = await context.newPage();
  const complaints: Complaints = { errors: [], foreign: [] };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.errors.push(message.text());
  });
  page.on('pageerror', (error) => complaints.errors.push(String(error)));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:') complaints.foreign.push(request.url());
  });
  return { page, complaints };
}
