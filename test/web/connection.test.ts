/** What a page says when its server is gone, and that it needs nobody's help when it is back. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHROMIUM, launchBrowser, openPage, STARTING_MS } from '../support/browser.ts';
import { type DemoServer, startDemo } from '../support/demo-server.ts';
import { describeWith } from '../support/describe-with.ts';
import { send } from '../support/server.ts';

describeWith(CHROMIUM, 'a page whose server goes away', () => {
  let server: DemoServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startDemo();
    browser = await launchBrowser();
  }, STARTING_MS);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('says so where it happens, keeps what it has, and heals by itself, signed in as before', async () => {
    const { page } = await openPage(await browser.newContext(), server.url);
    await page.goto(server.link);
    const table = page.getByRole('table', { name: 'Agents' });
    await table.getByRole('link', { name: /Support/ }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    const { pk, data, url } = server;
    await server.stop();
    await page.getByText('Connection lost; trying again').waitFor();
    await table.getByRole('link', { name: /Support/ }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('alert').getByText('The server does not answer.').waitFor();

    server = await startDemo({ data, port: Number(new URL(url).port) });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: /-day-/ }).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await send(server.url, '/v1/evaluate', { key: pk, body: { agent_id: 'after', output: 'back again' } });
    await table.getByRole('link', { name: /after/ }).waitFor();
  });
});
