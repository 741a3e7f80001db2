/** The dashboard as a person would use it: a real browser, a real server, the demo's month. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readServerFile } from '../../src/server/server-file.ts';
import { CHROMIUM, type Complaints, launchBrowser, openPage, STARTING_MS } from '../support/browser.ts';
import { type DemoServer, startDemo } from '../support/demo-server.ts';
import { describeWith } from '../support/describe-with.ts';
import { send } from '../support/server.ts';

describeWith(CHROMIUM, 'the dashboard', () => {
  let server: DemoServer;
  let url: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: Complaints;

  beforeAll(async () => {
    server = await startDemo();
    ({ url } = server);
    browser = await launchBrowser();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    ({ page, complaints } = await openPage(context, url));
  }, STARTING_MS);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const follow = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
  const panel = (name: string) => page.getByRole('region', { name, exact: true });
  const evaluate = (agent: string, output: string, more: object = {}) =>
    send(url, '/v1/evaluate', { key: server.pk, body: { agent_id: agent, output, ...more } });

  it('asks for a key, refuses a wrong one, and keeps the right one nowhere', async () => {
    await page.goto(url);
    await page.getByLabel('Key').fill('sk_live_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The key is unknown or revoked.').waitFor();
    // The browser itself notes the refusal; nothing else may complain from here on.
    expect(complaints.errors.splice(0)).toEqual([expect.stringContaining('401')]);
    await page.getByLabel('Key').fill(server.sk);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading('Agents');
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(kept).toBe('[{},{},""]');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: 'renown_session', httpOnly: true, sameSite: 'Strict' });
  });

  it('shows all agents with band, lifecycle and days; searches, filters and sorts', async () => {
    const table = page.getByRole('table', { name: 'Agents' });
    await table.getByRole('link', { name: /Code reviewer/ }).waitFor();
    expect(await table.getByRole('row').count()).toBe(6);
    await table.getByText(/^\d+\/50$/).waitFor();
    await table
      .getByRole('img', { name: /^95 % band from \d+ to \d+$/ })
      .first()
      .waitFor();
    await table
      .getByRole('img', { name: /^30 days: / })
      .first()
      .waitFor();
    const names = () => table.getByRole('link').allInnerTexts();
    expect((await names())[0]).toContain('Code reviewer');
    await table.getByRole('button', { name: /At least/ }).click();
    await table.getByRole('button', { name: /At least/ }).click();
    await page.waitForURL(/sort=low/);
    expect((await names())[0]).toContain('Invoice drafter');
    await page.getByLabel('Search agents').fill('SHELL');
    expect(await names()).toEqual([expect.stringContaining('Shell runner')]);
    await page.getByLabel('Search agents').fill('');
    await page.getByText('Calibrating', { exact: true }).click();
    expect(await names()).toEqual([expect.stringContaining('Invoice drafter')]);
    await page.getByText('All', { exact: true }).click();
    await panel('Worse this week').getByRole('link', { name: 'Desktop files' }).waitFor();
  });

  it('shows an evaluation as it arrives, without being asked', async () => {
    await evaluate('newcomer', 'Your parcel arrives on Tuesday.');
    await page
      .getByRole('table', { name: 'Agents' })
      .getByRole('link', { name: /newcomer/ })
      .waitFor();
  });

  it('begins the history of an agent with its first evaluation', async () => {
    await page.goto(`${url}/agents/newcomer`);
    const history = panel('History');
    await history.getByText('Values as a table').click();
    expect(await history.getByRole('row').count()).toBeLessThan(4);
    await follow('Overview');
  });

  it('opens an agent: what its score is made of, its band, its history and its marks', async () => {
    await page
      .getByRole('table', { name: 'Agents' })
      .getByRole('link', { name: /Desktop files/ })
      .click();
    await heading('Desktop files');
    const reputation = panel('Reputation');
    const parts = await reputation.getByRole('listitem').allInnerTexts();
    expect(parts.join(' ')).toMatch(
      /Pass rate.*of 400.*Gate latency.*of 250.*Streak.*of 200.*Volume.*of 150/s,
    );
    await reputation.getByRole('button', { name: /^Why: Why \d+–\d+$/ }).click();
    await page
      .getByRole('dialog')
      .getByText(/with 95 % confidence/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Got worse', { exact: true }).first().waitFor();
    const history = panel('History');
    await history.getByRole('img', { name: 'Score over time' }).waitFor();
    await history.getByText('Version 2').waitFor();
    await history.getByText(/Got worse to/).waitFor();
    await history.getByText('Values as a table').click();
    expect(await history.getByRole('row').count()).toBeGreaterThan(100);
    await panel('Window')
      .getByRole('img', { name: /^500 evaluations, oldest first/ })
      .waitFor();
    await panel('Failing gates').getByText('secrets').waitFor();
    await panel('What moved it').getByText('Rounding down').waitFor();
    await panel('Identity').getByText('Identity hygiene').waitFor();
    await panel('Compare')
      .getByText(/Difference/)
      .waitFor();
  });

  it('checks an agent against a minimum', async () => {
    const check = panel('Check');
    await check.getByLabel('At least').fill('990');
    await check.getByRole('button', { name: 'Check' }).click();
    await check.getByText('fail', { exact: true }).waitFor();
    await check.getByLabel('At least').fill('300');
    await check.getByRole('button', { name: 'Check' }).click();
    await check.getByText('pass', { exact: true }).waitFor();
  });

  it('voids an evaluation with a reason', async () => {
    const recent = panel('Recent evaluations');
    await recent.getByRole('button', { name: 'Void' }).first().click();
    await page.getByLabel('Reason').fill('The gate was misconfigured.');
    await page.getByRole('button', { name: 'Void it' }).click();
    await recent.getByText('Voided: The gate was misconfigured.').waitFor();
  });

  it('makes an agent public, and gives its badge and a receipt', async () => {
    const others = panel('For others');
    await others.getByRole('button', { name: 'Make public' }).click();
    await others.getByRole('img', { name: /^Badge of/ }).waitFor();
    await others.getByText(/^\[!\[Renown\]/).waitFor();
    await others.getByRole('button', { name: 'Issue a receipt' }).click();
    await others.getByText(/^eyJ/).waitFor();
  });

  it('follows events live, and filters them by the address', async () => {
    await follow('Events');
    await heading('Events');
    await evaluate('live-agent', 'rm -rf / --no-preserve-root', { tool: 'bash' });
    await page.getByRole('link', { name: 'live-agent' }).first().waitFor();
    await page.getByLabel('Verdict').selectOption('failed');
    await page.getByLabel('Agent').fill('live-agent');
    await page.keyboard.press('Enter');
    await page.waitForURL(/verdict=failed.*agent_id=live-agent|agent_id=live-agent.*verdict=failed/);
    await expectCount('li.evaluation', 1);
    await evaluate('live-agent', 'All is well.', { tool: 'bash' });
    await evaluate('live-agent', 'rm -rf /home', { tool: 'bash' });
    await expectCount('li.evaluation', 2);
    await page.reload();
    await expectCount('li.evaluation', 2);
  });

  it('opens a session: both metrics, why, and the risk of each turn', async () => {
    await follow('Sessions');
    await heading('Sessions');
    await page.getByRole('link', { name: /-day-/ }).first().click();
    await panel('Reliability')
      .getByRole('button', { name: /^Why: Why 0\.\d{4}$/ })
      .click();
    await page
      .getByRole('dialog')
      .getByText(/score = 1 − risk/)
      .waitFor();
    await page.keyboard.press('Escape');
    await panel('Risk by turn')
      .getByRole('img', { name: /^Risk of 8 turns/ })
      .waitFor();
    await panel('Turns').getByRole('row').nth(8).waitFor();
  });

  it('draws a session of thousands of turns a part at a time', async () => {
    const turns = (from: number) =>
      Array.from({ length: 1_000 }, (_, i) => ({
        session_id: 'endless',
        trace_id: `turn-${from + i}`,
        agent_id: 'marathon',
        signals: { confidence: 0.9 },
      }));
    for (const from of [0, 1_000]) {
      await send(url, '/v1/signals', { key: server.sk, body: { traces: turns(from) } });
    }
    const { json: run } = await send(url, '/v1/session-runs', {
      key: server.sk,
      body: { session_ids: ['endless'] },
    });
    const state = async () => {
      const { json } = await send(url, `/v1/session-runs/${run.run_id}`, { key: server.sk });
      return json.state;
    };
    await expect.poll(state, { timeout: 20_000 }).toBe('completed');
    await page.goto(`${url}/sessions/endless`);
    const rows = panel('Turns').locator('tbody tr');
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBe(500);
    await panel('Turns').getByRole('button', { name: '500 more of 2,000' }).click();
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBe(1_000);
  });

  it('starts a run, and follows it to its end', async () => {
    await follow('Runs');
    await page.getByRole('button', { name: 'New run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Agent').fill('support-bot');
    await dialog.getByRole('button', { name: 'What would it cover?' }).click();
    await dialog.getByText('It would cover 30 sessions with 240 turns.').waitFor();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await heading('Run');
    await page.getByText('completed', { exact: true }).waitFor();
    await panel('Scores').getByRole('row').nth(40).waitFor();
  });

  it('makes a monitor, and pauses it', async () => {
    await follow('Runs');
    await page.getByRole('button', { name: 'New monitor' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Nightly');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const row = panel('Monitors').getByRole('row', { name: /Nightly/ });
    await row.getByText('active').waitFor();
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('paused').waitFor();
    await row.getByRole('button', { name: 'Resume' }).waitFor();
  });

  it('shows the alerts that were raised, and sends one as a test', async () => {
    await follow('Alerts');
    await panel('Raised').getByText('got worse', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await panel('Raised').getByText('test', { exact: true }).waitFor();
    await panel('When').getByLabel('Floor').fill('500');
    await panel('When').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
  });

  it('makes a key, shows it once, and revokes it', async () => {
    await follow('Settings');
    await panel('Keys').getByRole('button', { name: 'New pk key' }).click();
    const shown = panel('Keys').getByText(/^pk_live_[0-9a-f]{40}$/);
    const key = (await shown.textContent()) ?? '';
    expect((await send(url, '/v1/agents', { key })).status).toBe(200);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: `Revoke the key that ends with ${key.slice(-4)}` }).click();
    await panel('Keys').getByText('revoked').waitFor();
    expect((await send(url, '/v1/agents', { key })).status).toBe(401);
    await panel('Gate suite').getByText('filesystem').waitFor();
    await panel('Retention').getByText('for ever').first().waitFor();
    await panel('Audit log').getByText('key.revoke').waitFor();
    await page.reload();
    expect(await page.getByText(key).count()).toBe(0);
  });

  it('changes the gates that outputs are judged by, says what is wrong with a suite, and goes back', async () => {
    await follow('Settings');
    const suite = panel('Gate suite');
    await suite.getByText('the default').waitFor();
    await suite.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the gate suite' });
    const judgeBy = async (text: string) => {
      await dialog.getByLabel('Suite').fill(text);
      await dialog.getByRole('button', { name: 'Judge by this' }).click();
    };
    await judgeBy('{ "gates": [');
    await dialog.getByText('This is not JSON').waitFor();
    await judgeBy('{ "gates": ["filesystem", "wishes"] }');
    await dialog.getByText('gates[1]').first().waitFor();
    await judgeBy('{ "gates": ["filesystem", { "latency": { "max_ms": 900 } }] }');
    await suite.getByText('chosen by the org').waitFor();
    await suite.getByText('latency …').waitFor();
    await suite.getByRole('button', { name: 'Change' }).click();
    await dialog.getByRole('button', { name: 'Back to the default' }).click();
    await suite.getByText('the default').waitFor();
    // The refusal was expected, and the browser notes every one.
    expect(complaints.errors.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  it('shows a page where there is none, with the way back', async () => {
    const answer = await page.goto(`${url}/no/such/page`);
    expect(answer?.status()).toBe(404);
    await heading('Nothing here');
    await page.getByRole('link', { name: 'Back to the agents' }).click();
    await heading('Agents');
    expect(complaints.errors.splice(0)).toEqual([expect.stringContaining('404')]);
    const plain = await fetch(`${url}/no/such/page`);
    expect(await plain.json()).toMatchObject({ code: 'not_found' });
  });

  it('lets nobody see the agents of another org, whatever the address', async () => {
    const file = await readServerFile(`${server.data}.server.json`, () => true);
    const { json: made } = await send(url, '/local/orgs', {
      key: file?.token ?? '',
      body: { org_id: 'rival', name: 'Rival' },
    });
    await send(url, '/v1/evaluate', {
      key: made.keys.pk.key,
      body: { agent_id: 'rivals-secret', output: 'x' },
    });
    await page.goto(`${url}/agents/rivals-secret`);
    await page.getByText('Nobody has evaluated this agent here').waitFor();
    expect(await page.getByRole('region', { name: 'Reputation' }).count()).toBe(0);
    const other = await openPage(await browser.newContext(), url);
    await other.page.goto(`${url}/agents/support-bot`);
    await other.page.getByLabel('Key').fill(made.keys.sk.key);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByText('Nobody has evaluated this agent here').waitFor();
    await other.page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await other.page.getByRole('link', { name: 'rivals-secret' }).waitFor();
    expect(await other.page.getByRole('table', { name: 'Agents' }).getByRole('link').count()).toBe(1);
    expect(other.complaints).toEqual({ errors: [], foreign: [] });
    await other.page.context().close();
  });

  it('signs out, and has nothing to show after it', async () => {
    await page.goto(url);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Renown' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    await page.goto(`${url}/settings`);
    await page.getByRole('heading', { name: 'Sign in to Renown' }).waitFor();
  });

  it('is opened by the link that the server printed, once', async () => {
    await page.goto('about:blank');
    await page.goto(server.link);
    await heading('Agents');
    expect(page.url()).toBe(`${url}/`);
  });

  it('complained of nothing, and asked nobody but its own server', () => {
    expect(complaints).toEqual({ errors: [], foreign: [] });
  });

  async function expectCount(selector: string, count: number): Promise<void> {
    await expect.poll(() => page.locator(selector).count(), { timeout: 10_000 }).toBe(count);
  }
});
