import { type Filter, Filters, filterValues } from '../ui/filters.tsx';
import { More, usePages } from '../ui/pager.tsx';
import { Empty, PageHead, Panel, Problem, Skeleton } from '../ui/parts.tsx';
import { SessionTable } from '../ui/session-table.tsx';
import type { SessionPage } from '../wire.ts';

const FILTERS: readonly Filter[] = [
  { name: 'agent_id', label: 'Agent' },
  { name: 'tag', label: 'Tag' },
  {
    name: 'metric',
    label: 'Order',
    options: [
      { value: '', text: 'latest first' },
      { value: 'agent_reliability', text: 'worst by reliability' },
      { value: 'agent_consistency', text: 'worst by consistency' },
    ],
  },
  {
    name: 'passed',
    label: 'Threshold',
    options: [
      { value: '', text: 'any' },
      { value: 'false', text: 'below' },
      { value: 'true', text: 'at or above' },
    ],
  },
];

export function Sessions() {
  const filter = filterValues(FILTERS);
  const pager = usePages<SessionPage['items'][number]>('v1/sessions', { ...filter, limit: 50 });
  return (
    <>
      <PageHead title="Sessions" />
      <Filters filters={FILTERS} />
      <Problem error={pager.error} />
      <Panel title="Sessions" note={filter.metric ? 'worst first' : 'latest first'}>
        {!pager.items && !pager.error && <Skeleton rows={10} height={28} />}
        {pager.items?.length === 0 && (
          <Empty>
            <h2>There is no session that is like that</h2>
            <p>
              Point a coding agent's telemetry at this server, or report signals of its turns with{' '}
              <code>POST /v1/signals</code> and let a <a href="runs">run</a> score them.
            </p>
          </Empty>
        )}
        {pager.items && pager.items.length > 0 && <SessionTable sessions={pager.items} withAgent />}
        <More pager={pager} />
      </Panel>
    </>
  );
}
