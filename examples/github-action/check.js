// Asks Renown whether an agent is good enough, writes the answer to the job summary and into one comment on the pull
// request, and ends with 0, 10 or 11 as `renown check` does, 2 when it was not told what to ask. Needs Node 20 and nothing else.
import { appendFileSync, readFileSync } from 'node:fs';

/**
 * @typedef {{ verdict: 'pass' | 'fail' | 'not_enough_evidence', reason: string, further_evaluations: number | null,
 *   score: number, assurance: { score_low: number, score_high: number } }} Answer
 */

const { env } = process;
const agent = env.RENOWN_AGENT ?? '';
const MARK = '<!-- renown-check -->';
const EXITS = { pass: 0, fail: 10, not_enough_evidence: env.RENOWN_NOT_ENOUGH_EVIDENCE === 'allow' ? 0 : 11 };
const WORDS = { pass: '✅ pass', fail: '❌ fail', not_enough_evidence: '❔ not enough evidence' };

const USAGE_EXIT = 2;

const min = toNumber(env.RENOWN_MIN);
if (min === null) {
  // GitHub hands on an input that nobody gave as an empty text, which as a number would be a minimum of 0.
  console.log('::error::Give min as a number, from 0 to 1000.');
  process.exitCode = USAGE_EXIT;
} else await check(min);

/** @param {number} min */
async function check(min) {
  const answer = await ask(min);
  process.exitCode = EXITS[answer.verdict];
  const text = describe(answer);
  console.log(text);
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n`);
  // The token of a pull request from a fork may not comment, and the verdict is the same without.
  await comment(text).catch(({ message }) =>
    console.log(`::warning::The answer is not on the pull request: ${message.replaceAll(/\s+/g, ' ')}`),
  );
}

/**
 * @param {string | undefined} text
 * @returns {number | null}
 */
function toNumber(text = '') {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/**
 * @param {number} min
 * @returns {Promise<Answer>}
 */
async function ask(min) {
  const body = {
    agent_id: agent,
    min,
    ...(env.RENOWN_MAX_DROP && { max_drop: Number(env.RENOWN_MAX_DROP) }),
  };
  const response = await fetch(`${env.RENOWN_URL}/v1/check`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.RENOWN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = /** @type {any} */ (await response.json());
  if (!response.ok) throw new Error(`Renown refused: ${json.error}`);
  return json;
}

/** @param {Answer} answer */
function describe({ verdict, reason, further_evaluations: more, score, assurance }) {
  const outlook = more === null ? '' : ` About ${more} more evaluations would be expected to decide it.`;
  return [
    `**Renown: ${WORDS[verdict]}** for \`${agent}\``,
    '',
    `Score ${score}, sure to lie between ${assurance.score_low} and ${assurance.score_high}. ${reason}${outlook}`,
  ].join('\n');
}

/**
 * One comment for each agent, changed with every run: nobody wants to read twenty.
 *
 * @param {string} text
 */
async function comment(text) {
  const number = pullRequest();
  if (!env.GITHUB_TOKEN || !number) return;
  const mark = `${MARK}<!-- ${encodeURIComponent(agent)} -->`;
  const issues = `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues`;
  const comments = await github(`${issues}/${number}/comments?per_page=100`);
  const mine = /** @type {{ id: number, body: string }[]} */ (comments).find(({ body }) =>
    body.startsWith(mark),
  );
  const body = JSON.stringify({ body: `${mark}\n${text}` });
  if (mine) await github(`${issues}/comments/${mine.id}`, { method: 'PATCH', body });
  else await github(`${issues}/${number}/comments`, { method: 'POST', body });
}

function pullRequest() {
  if (!env.GITHUB_EVENT_PATH) return undefined;
  return JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8')).pull_request?.number;
}

/**
 * @param {string} url
 * @param {RequestInit} init
 */
async function github(url, init = {}) {
  const headers = { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: 'application/vnd.github+json' };
  const response = await fetch(url, { ...init, headers });
  if (!response.ok) throw new Error(`GitHub answered ${response.status}.`);
  return response.json();
}
