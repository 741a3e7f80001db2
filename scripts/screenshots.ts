// Makes the pictures of the documents: overview, agent and session of the demo, in both themes. `npm run screenshots`.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../test/support/browser.ts';
import { startDemo } from '../test/support/demo-server.ts';

const PAGES = {
  overview: '',
  agent: 'agents/claude-desktop%2Ffilesystem',
  session: 'sessions/support-bot-day-13',
};

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });
const server = await startDemo();
const browser = await launchBrowser();
const page = await (await browser.newContext({ viewport: { width: 1280, height: 880 } })).newPage();
await page.goto(server.link);
await page.getByRole('table', { name: 'Agents' }).waitFor();
for (const [name, path] of Object.entries(PAGES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${server.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    while ((await page.locator('[aria-busy]').count()) > 0) await page.waitForTimeout(100);
    // The charts are drawn with the frame after their data.
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${folder}${name}-${colorScheme}.png` });
  }
}
await browser.close();
await server.stop();
