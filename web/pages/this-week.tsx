/**
 * What changed this week, best and worst first. Who may have moved shows in the days that the overview has anyway; how far
 * their scores went is read from the ledger, for those few.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ask, withQuery } from '../api.ts';
import { percent, signed } from '../format.ts';
import { agentPath } from '../router.ts';
import { Panel, Skeleton } from '../ui/parts.tsx';
import { isShown } from '../ui/score.tsx';
import type { History, Overview, OverviewAgent } from '../wire.ts';
import { nameOf } from './overview-order.ts';

const DAY_MS = 86_400_000;
const WEEK = 7;
const SHOWN = 4;
/** Those whose scores are read, from either end. */
const CANDIDATES = 6;

interface Mover {
  agent: OverviewAgent;
  before: number;
  change: number;
}

export function ThisWeek({ overview: { agents } }: { overview: Overview }) {
  const candidates = useMemo(() => findCandidates(agents), [agents]);
  const before = useScoresAWeekAgo(candidates);
  if (candidates.length === 0) return null;
  const movers = candidates
    .flatMap((agent): Mover[] => {
      const score = before?.get(agent.agent_id);
      return score === undefined ? [] : [{ agent, before: score, change: agent.score - score }];
    })
    .sort((a, b) => b.change - a.change);
  const up = movers.filter(({ change }) => change > 0).slice(0, SHOWN);
  const down = movers
    .filter(({ change }) => change < 0)
    .slice(-SHOWN)
    .reverse();
  return (
    <div class="pair">
      <Panel title="Better this week" note="score, and pass rate of the week">
        {before ? <Movers movers={up} none="No score is higher than a week ago." /> : <Skeleton rows={2} />}
      </Panel>
      <Panel title="Worse this week" note="score, and pass rate of the week">
        {before ? <Movers movers={down} none="No score is lower than a week ago." /> : <Skeleton rows={2} />}
      </Panel>
    </div>
  );
}

function Movers({ movers, none }: { movers: readonly Mover[]; none: string }) {
  if (movers.length === 0) return <p class="note">{none}</p>;
  return (
    <ul class="movers">
      {movers.map(({ agent, before, change }) => (
        <li key={agent.agent_id}>
          <a href={agentPath(agent.agent_id)}>{nameOf(agent)}</a>
          <span class="number rate">{percent(weekRate(agent) ?? agent.pass_rate, 0)}</span>
          <span class="number">
            {before} → {agent.score}
          </span>
          <b class={`number ${change > 0 ? 'good' : 'bad'}`}>{signed(change)}</b>
        </li>
      ))}
    </ul>
  );
}

/** Those whose days differ most from the week before; all of them where there are few. */
function findCandidates(agents: readonly OverviewAgent[]): OverviewAgent[] {
  const known = agents
    .flatMap((agent) => {
      const rate = isShown(agent) ? weekRate(agent) : null;
      return rate === null ? [] : [{ agent, change: rate - (weekRate(agent, 1) ?? 0) }];
    })
    .sort((a, b) => b.change - a.change)
    .map(({ agent }) => agent);
  if (known.length <= 2 * CANDIDATES) return known;
  return [...known.slice(0, CANDIDATES), ...known.slice(-CANDIDATES)];
}

/** The share that passed in this week, or in one before it; null without any. */
function weekRate({ daily }: OverviewAgent, weeksBack = 0): number | null {
  if (!daily) return null;
  const to = daily.evaluations.length - WEEK * weeksBack;
  let total = 0;
  let passed = 0;
  for (let day = Math.max(0, to - WEEK); day < to; day++) {
    total += daily.evaluations[day] ?? 0;
    passed += daily.passed[day] ?? 0;
  }
  return total === 0 ? null : passed / total;
}

/** Null until they are known. An agent that had no number then has none here. */
function useScoresAWeekAgo(agents: readonly OverviewAgent[]): ReadonlyMap<string, number> | null {
  const [scores, setScores] = useState<ReadonlyMap<string, number> | null>(null);
  const ids = agents.map(({ agent_id }) => agent_id).join('\n');
  useEffect(() => {
    if (ids === '') return;
    let wanted = true;
    Promise.all(ids.split('\n').map(scoreAWeekAgo))
      .then((found) => wanted && setScores(new Map(found.flatMap((one) => (one ? [one] : [])))))
      // The table below says what is wrong with the connection; this asks again with the next reading.
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [ids]);
  return scores;
}

async function scoreAWeekAgo(agentId: string): Promise<readonly [string, number] | null> {
  const to = Date.now() - WEEK * DAY_MS;
  const path = `v1/reputation/${encodeURIComponent(agentId)}/history`;
  const { points } = await ask<History>(withQuery(path, { from: to - DAY_MS, to, step: '1d' }));
  const then = points.at(-1);
  return then && (then.lifecycle === 'active' || then.lifecycle === 'mature') ? [agentId, then.score] : null;
}
