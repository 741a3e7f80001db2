/** Every page in both themes, looked at by axe-core; and the page at the narrowest and the widest screen. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, type Complaints, launchBrowser, openPage, STARTING_MS } from '../support/browser.ts';
import { type DemoServer, startDemo } from '../support/demo-server.ts';
import { describeWith } from '../support/describe-with.ts';
import { send } from '../support/server.ts';

interface Finding {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

const PAGES = {
  overview: '',
  agent: 'agents/claude-desktop%2Ffilesystem',
  'a new agent': 'agents/invoice-drafter',
  'an unknown agent': 'agents/nobody',
  events: 'events?verdict=failed',
  sessions: 'sessions',
  session: 'sessions/support-bot-day-3',
  runs: 'runs',
  'the dialog of a run': 'runs?session=support-bot-day-3',
  run: 'runs/01930000-0000-7000-8000-00000000de30',
  alerts: 'alerts',
  settings: 'settings',
};

/** That the page is wider than the screen, and what makes it so; none when it is not. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? [] : ['the page', ...[...document.querySelectorAll('main *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest('.scroll, .wide-table'))
  .map((one) => one.tagName + '.' + (one.getAttribute('class') ?? '') + ' in ' + (one.parentElement.getAttribute('class') ?? one.parentElement.tagName)).slice(0, 12)]`;

describeWith(CHROMIUM, 'the pages of the dashboard', () => {
  let server: DemoServer;
  let browser: Browser;
  let page: Page;
  let complaints: Complaints;
  beforeAll(async () => {
    server = await startDemo();
    browser = await launchBrowser();
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    ({ page, complaints } = await openPage(context, server.url));
    await page.goto(server.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await seriousFindings()).toEqual([]);
    await page.goto('about:blank');
    await page.goto(server.link);
    await page.getByRole('table', { name: 'Agents' }).waitFor();
  }, STARTING_MS);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
    it.each(Object.entries(PAGES))('%s has no serious fault', async (_, path) => {
      await open(path, { colorScheme, width: 1280 });
      expect(await seriousFindings()).toEqual([]);
    });
  });

  describe.each([360, 2560])('%i pixels wide', (width) => {
    it.each(Object.entries(PAGES))('%s fits', async (_, path) => {
      await open(path, { colorScheme: 'light', width });
      expect(await page.evaluate(TOO_WIDE)).toEqual([]);
    });
  });

  describe.each([360, 1280])('with the longest names there may be, %i pixels wide', (width) => {
    const long = (what: string) => `${what}-`.padEnd(200, 'x');
    beforeAll(async () => {
      const post = (path: string, body: object) => send(server.url, path, { key: server.sk, body });
      const of = { agent_id: long('agent'), session_id: long('session') };
      await post('/v1/evaluate', { ...of, output: 'rm -rf /', tool: long('tool'), model: long('model') });
      const trace = {
        trace_id: long('trace'),
        signals: { confidence: 0.1 },
        tags: [long('tag').slice(0, 100)],
      };
      await post('/v1/signals', { traces: [{ ...of, ...trace }] });
      const filter = { agent_id: long('agent') };
      await post('/v1/session-monitors', { name: long('monitor').slice(0, 100), cadence: 'daily', filter });
      await post('/v1/session-runs', { filter });
    });
    it.each([
      '',
      'events',
      'sessions',
      'runs',
      `agents/${long('agent')}`,
      `sessions/${long('session')}`,
      'settings',
    ])('/%s fits', async (path) => {
      await open(path, { colorScheme: 'light', width });
      expect(await page.evaluate(TOO_WIDE)).toEqual([]);
    });
  });

  it('leaves words whole on a narrow screen, and shows which page it is', async () => {
    await open('runs', { colorScheme: 'light', width: 390 });
    const cell = page.getByRole('cell', { name: 'request', exact: true }).first();
    expect((await cell.boundingBox())?.width).toBeGreaterThan(50);
    await open('settings', { colorScheme: 'light', width: 390 });
    const link = await page.getByRole('link', { name: 'Settings' }).boundingBox();
    expect((link?.x ?? Infinity) + (link?.width ?? 0)).toBeLessThanOrEqual(390);
  });

  it('can be reached by the keyboard alone', async () => {
    await open('', { colorScheme: 'light', width: 1280 });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    const isThere = () => page.evaluate(`document.activeElement.matches('table[aria-label="Agents"] a')`);
    for (let i = 0; i < 40 && !(await isThere()); i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Code reviewer' }).waitFor();
  });

  it('complained of nothing', () => {
    expect(complaints).toEqual({ errors: [], foreign: [] });
  });

  async function open(
    path: string,
    { colorScheme, width }: { colorScheme: 'light' | 'dark'; width: number },
  ) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${server.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('[aria-busy]').count(), { timeout: 20_000 }).toBe(0);
  }

  /** In words, so that a failure says what and where. */
  async function seriousFindings(): Promise<string[]> {
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: Finding[] };
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
      );
  }
});
