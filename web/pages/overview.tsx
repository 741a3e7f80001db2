import { useEffect, useMemo } from 'preact/hooks';
import { Sparkline } from '../charts/sparkline.tsx';
import { count, percent } from '../format.ts';
import { patch, refresh, useQuery } from '../query.ts';
import { agentPath, query, setQuery } from '../router.ts';
import { listen } from '../stream.ts';
import { Choice, PageHead, Problem, Skeleton } from '../ui/parts.tsx';
import { Lifecycle, ScoreCell } from '../ui/score.tsx';
import { Ago } from '../ui/time.tsx';
import { type Column, VirtualTable } from '../ui/virtual-table.tsx';
import type { OverviewAgent, Overview as OverviewData } from '../wire.ts';
import { FirstSteps } from './first-steps.tsx';
import { nameOf, ORDERS, type Order, selectAgents } from './overview-order.ts';
import { ThisWeek } from './this-week.tsx';

const PATH = 'v1/overview';
const ROW_HEIGHT = 52;
/** How long changes are gathered before bands and days are read anew; somebody new is to be seen at once. */
const CALM_MS = 30_000;
const SOON_MS = 300;

const LIFECYCLES: readonly { value: string; text: string }[] = [
  { value: '', text: 'All' },
  { value: 'mature', text: 'Mature' },
  { value: 'active', text: 'Active' },
  { value: 'calibrating', text: 'Calibrating' },
];

const COLUMNS: readonly Column<OverviewAgent>[] = [
  {
    key: 'agent',
    name: 'Agent',
    sort: 'name',
    class: 'agent',
    cell: (agent) => (
      <a href={agentPath(agent.agent_id)}>
        <b>{nameOf(agent)}</b>
        <small>{agent.agent_id}</small>
      </a>
    ),
  },
  { key: 'score', name: 'Score', sort: 'score', class: 'score', cell: (agent) => <ScoreCell {...agent} /> },
  {
    key: 'band',
    name: 'At least',
    sort: 'low',
    class: 'number wide',
    cell: (agent) => (agent.lifetime_evaluations < 50 ? '–' : agent.score_low),
  },
  {
    key: 'lifecycle',
    name: 'Lifecycle',
    class: 'wide lifecycle',
    cell: (agent) => <Lifecycle lifecycle={agent.lifecycle} />,
  },
  {
    key: 'days',
    name: '30 days',
    class: 'days',
    cell: ({ daily }) => <Sparkline evaluations={daily?.evaluations ?? []} passed={daily?.passed ?? []} />,
  },
  {
    key: 'rate',
    name: 'Pass rate',
    sort: 'rate',
    class: 'number medium',
    cell: ({ pass_rate, eval_count }) => (eval_count === 0 ? '–' : percent(pass_rate)),
  },
  {
    key: 'count',
    name: 'Evaluations',
    sort: 'count',
    class: 'number wide count',
    cell: ({ lifetime_evaluations }) => count(lifetime_evaluations),
  },
  {
    key: 'seen',
    name: 'Last seen',
    sort: 'seen',
    class: 'number seen',
    cell: ({ last_seen }) => (last_seen === null ? 'never' : <Ago at={last_seen} />),
  },
];

export function Overview() {
  const { data, error } = useQuery<OverviewData>(PATH, { everyMs: 60_000 });
  useLiveScores();
  const agents = data.value?.agents;
  const search = query.value.get('q') ?? '';
  const lifecycle = query.value.get('lifecycle') ?? '';
  const order = orderOf(query.value.get('sort'));
  const shown = useMemo(
    () => (agents ? selectAgents(agents, { search, lifecycle, order }) : []),
    [agents, search, lifecycle, order.by, order.descending],
  );

  function sortBy(by: string) {
    const descending = by === order.by ? !order.descending : by !== 'name';
    setQuery({ sort: `${descending ? '-' : ''}${by}` });
  }

  return (
    <>
      <PageHead title="Agents" />
      <Problem error={error.value} />
      {!data.value && !error.value && <Skeleton rows={8} height={44} />}
      {data.value && agents?.length === 0 && <FirstSteps />}
      {data.value && agents && agents.length > 0 && (
        <>
          <Figures overview={data.value} />
          <ThisWeek overview={data.value} />
          <section aria-label="All agents">
            <div class="toolbar">
              <input
                type="search"
                aria-label="Search agents"
                placeholder="Search agents"
                value={search}
                onInput={(event) => setQuery({ q: event.currentTarget.value })}
              />
              <Choice
                label="Lifecycle"
                value={lifecycle}
                options={LIFECYCLES}
                onChange={(value) => setQuery({ lifecycle: value })}
              />
              <span class="note" role="status">
                {shown.length === agents.length
                  ? `${count(agents.length)} agents`
                  : `${count(shown.length)} of ${count(agents.length)}`}
                {data.value.truncated && ', and more that are not shown'}
              </span>
            </div>
            <VirtualTable
              label="Agents"
              columns={COLUMNS}
              rows={shown}
              rowHeight={ROW_HEIGHT}
              sorted={order}
              onSort={sortBy}
            />
            {shown.length === 0 && <p class="empty">No agent is like that.</p>}
          </section>
        </>
      )}
    </>
  );
}

function orderOf(text: string | null): Order {
  const descending = text === null || text.startsWith('-');
  const by = (text ?? '-score').replace(/^-/, '');
  return by in ORDERS ? { by: by as Order['by'], descending } : { by: 'score', descending: true };
}

function Figures({ overview: { agents, days } }: { overview: OverviewData }) {
  const { total, good, active } = useMemo(() => {
    const sums = { total: 0, good: 0, active: 0 };
    for (const { daily } of agents) {
      if (!daily) continue;
      sums.active++;
      for (const value of daily.evaluations) sums.total += value;
      for (const value of daily.passed) sums.good += value;
    }
    return sums;
  }, [agents]);
  return (
    <dl class="figures">
      <div>
        <dt>Agents</dt>
        <dd>{count(agents.length)}</dd>
      </div>
      <div>
        <dt>Active in {days} days</dt>
        <dd>{count(active)}</dd>
      </div>
      <div>
        <dt>Evaluations in {days} days</dt>
        <dd>{count(total)}</dd>
      </div>
      <div>
        <dt>Passed</dt>
        <dd>{total === 0 ? '–' : percent(good / total)}</dd>
      </div>
    </dl>
  );
}

/** Scores change where they stand; bands and days follow with the next reading. */
function useLiveScores() {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        void refresh(PATH);
      }, ms);
      return timer;
    };
    const stop = listen({
      score({ agent_id, ...change }) {
        let isNew = true;
        patch<OverviewData>(PATH, (overview) => ({
          ...overview,
          agents: overview.agents.map((agent) => {
            if (agent.agent_id !== agent_id) return agent;
            isNew = false;
            return { ...agent, ...change, last_seen: new Date().toISOString() };
          }),
        }));
        if (isNew) later(SOON_MS);
        else timer ??= later(CALM_MS);
      },
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
}
