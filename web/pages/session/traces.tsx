import { useFirstRows } from '../../ui/first-rows.tsx';
import { WideTable } from '../../ui/list-table.tsx';
import { Panel } from '../../ui/parts.tsx';
import { Ago } from '../../ui/time.tsx';
import type { SessionTraces } from '../../wire.ts';

const SIGNALS = ['confidence', 'loop_detection', 'tool_correctness', 'coherence'] as const;

/** Signals as they were measured: 1 is good, and a dash is not measured. */
export function TracesPanel({ traces }: { traces: SessionTraces['traces'] }) {
  const { first, more } = useFirstRows(traces);
  return (
    <Panel title="Turns" note="signals from 0 to 1, where 1 is good" class="full">
      <WideTable
        columns={[
          'Turn',
          ...SIGNALS.map((name) => ({ number: name.replaceAll('_', ' ') })),
          'Measured by',
          { number: 'Began' },
        ]}
      >
        {first.map(({ trace_id, signals, sources, started_at, received_at }) => (
          <tr key={trace_id}>
            <td>{trace_id}</td>
            {SIGNALS.map((name) => (
              <td key={name} class={`number ${(signals[name] ?? 1) < 0.5 ? 'bad' : ''}`}>
                {signals[name]?.toFixed(3) ?? '–'}
              </td>
            ))}
            <td class="note">{[...new Set(Object.values(sources))].join(', ') || '–'}</td>
            <td class="number">
              <Ago at={started_at ?? received_at} />
            </td>
          </tr>
        ))}
      </WideTable>
      {more}
    </Panel>
  );
}
