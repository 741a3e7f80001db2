/** The page at `/`: paste a key, see the agents. The key stays in this tab, and goes nowhere but to this server. */
import { pageHeaders, renderPage } from './page.ts';
import type { Reply } from './route.ts';

const SCRIPT = `
const form = document.querySelector('form'), input = document.querySelector('input'), table = document.querySelector('tbody');
const say = (text) => { document.querySelector('output').textContent = text; };
async function show() {
  const answer = await fetch('v1/agents?limit=200', { headers: { authorization: 'Bearer ' + input.value.trim() } });
  const body = await answer.json();
  if (!answer.ok) return say(body.error);
  sessionStorage.setItem('renown-key', input.value.trim());
  table.replaceChildren(...body.items.map(({ agent_id, display_name, reputation }) => {
    const row = document.createElement('tr');
    const { score, lifecycle, eval_count, pass_rate } = reputation;
    const cells = [display_name || agent_id, eval_count < 50 && lifecycle !== 'mature' && lifecycle !== 'active' ? lifecycle + ' ' + eval_count + '/50' : score, lifecycle, eval_count, (100 * pass_rate).toFixed(1) + ' %'];
    for (const text of cells) row.insertCell().textContent = text;
    return row;
  }));
  say(body.items.length + (body.next_cursor ? ' agents and more' : ' agents'));
}
form.addEventListener('submit', (event) => { event.preventDefault(); show().catch((error) => say(String(error))); });
input.value = sessionStorage.getItem('renown-key') || '';
if (input.value) show();`;

const BODY = `<h1>Renown</h1>
<p>The record of AI agents, turned into trust. <a href="docs">The API</a>.</p>
<form><label>Key <input type="password" autocomplete="off" placeholder="pk_live_… or sk_live_…"></label> <button>Show agents</button></form>
<p><output></output></p>
<table><thead><tr><th>Agent</th><th>Score</th><th>Lifecycle</th><th>Evaluations</th><th>Passed</th></tr></thead><tbody></tbody></table>`;

const PAGE = renderPage('Renown', BODY, SCRIPT);
const HEADERS = pageHeaders(SCRIPT);

export function homePage(): Reply {
  return { text: { type: 'text/html; charset=utf-8', body: PAGE }, headers: HEADERS };
}
