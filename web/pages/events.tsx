import { useEffect, useState } from 'preact/hooks';
import { listen } from '../stream.ts';
import { EvaluationRow } from '../ui/evaluations.tsx';
import { type Filter, Filters, filterValues } from '../ui/filters.tsx';
import { More, usePages } from '../ui/pager.tsx';
import { Choice, PageHead, Problem, Skeleton } from '../ui/parts.tsx';
import type { Evaluation } from '../wire.ts';

const FILTERS: readonly Filter[] = [
  { name: 'agent_id', label: 'Agent' },
  {
    name: 'verdict',
    label: 'Verdict',
    options: [
      { value: '', text: 'any' },
      { value: 'passed', text: 'passed' },
      { value: 'failed', text: 'failed' },
    ],
  },
  { name: 'gate', label: 'Gate' },
  { name: 'tool', label: 'Tool' },
  { name: 'session_id', label: 'Session' },
  {
    name: 'source',
    label: 'Source',
    options: ['', 'sdk', 'proxy', 'api'].map((value) => ({ value, text: value || 'any' })),
  },
];

/** Newcomers that are shown above what was there; the rest is in the list when it is read again. */
const LIVE_MAX = 200;

const FLOW = [
  { value: 'live', text: 'Live' },
  { value: 'held', text: 'Held' },
] as const;

export function Events() {
  const [flow, setFlow] = useState<'live' | 'held'>('live');
  const filter = filterValues(FILTERS);
  const pager = usePages<Evaluation>('v1/events', { ...filter, limit: 40 });
  const { arrived, held } = useArrivals(filter, flow === 'live');
  const known = new Set(arrived.map(({ evaluation_id }) => evaluation_id));
  const older = pager.items?.filter(({ evaluation_id }) => !known.has(evaluation_id));
  return (
    <>
      <PageHead title="Events">
        <span class="note" role="status">
          {flow === 'held' && held > 0 && `${held} waiting`}
        </span>
        <Choice label="Flow" value={flow} options={FLOW} onChange={setFlow} />
      </PageHead>
      <Filters filters={FILTERS} />
      <Problem error={pager.error} />
      {!older && !pager.error && <Skeleton rows={8} height={52} />}
      <ul class="evaluations panel" aria-live="off">
        {[...arrived, ...(older ?? [])].map((one) => (
          <EvaluationRow key={one.evaluation_id} evaluation={one} withAgent />
        ))}
        {older && older.length + arrived.length === 0 && (
          <li class="empty">Nothing yet that is like that.</li>
        )}
      </ul>
      <More pager={pager} />
    </>
  );
}

/** Newest first; while they are held back, only their number grows. */
function useArrivals(filter: Record<string, string>, isLive: boolean) {
  const [arrived, setArrived] = useState<Evaluation[]>([]);
  const [waiting, setWaiting] = useState<Evaluation[]>([]);
  const key = JSON.stringify(filter);
  useEffect(() => {
    setArrived([]);
    setWaiting([]);
  }, [key]);
  useEffect(() => {
    if (isLive && waiting.length > 0) {
      setArrived((was) => [...waiting, ...was].slice(0, LIVE_MAX));
      setWaiting([]);
    }
    return listen({
      evaluation(one) {
        if (!matches(one, filter)) return;
        (isLive ? setArrived : setWaiting)((was) => [one, ...was].slice(0, LIVE_MAX));
      },
    });
  }, [key, isLive]);
  return { arrived, held: waiting.length };
}

function matches(one: Evaluation, filter: Record<string, string>): boolean {
  const { agent_id, verdict, gate, tool, session_id, source } = filter;
  return (
    (!agent_id || one.agent_id === agent_id) &&
    (!verdict || one.passed === (verdict === 'passed')) &&
    (!gate || one.gates.some(({ name }) => name === gate)) &&
    (!tool || one.tool === tool) &&
    (!session_id || one.session_id === session_id) &&
    (!source || one.source === source)
  );
}
