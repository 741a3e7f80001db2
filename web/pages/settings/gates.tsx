import { useState } from 'preact/hooks';
import { useQuery } from '../../query.ts';
import { canAdminister } from '../../session.ts';
import { Chip, Copy, Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import { Moment } from '../../ui/time.tsx';
import type { GateSuite } from '../../wire.ts';
import { SuiteDialog } from './suite-dialog.tsx';

/** The gates that this server judges outputs by. */
export function GatesPanel() {
  const { data, error } = useQuery<GateSuite>('v1/gates');
  const [isChanging, setChanging] = useState(false);
  const suite = data.value?.suite;
  return (
    <Panel
      title="Gate suite"
      note={data.value && (data.value.is_default ? 'the default' : 'chosen by the org')}
      action={
        suite && (
          <>
            <Copy text={JSON.stringify(suite, null, 2)} label="Copy as JSON" />
            {canAdminister.value && (
              <button type="button" onClick={() => setChanging(true)}>
                Change
              </button>
            )}
          </>
        )
      }
    >
      <Problem error={error.value} />
      {!data.value && !error.value && <Skeleton rows={2} />}
      {data.value && suite && (
        <>
          <p class="chips">
            {suite.gates.map((gate) => (
              <GateChip key={JSON.stringify(gate)} gate={gate} />
            ))}
          </p>
          <dl class="pairs">
            <dt>Hash</dt>
            <dd>
              <code>{data.value.suite_hash}</code>
            </dd>
            {data.value.set_at && (
              <>
                <dt>Since</dt>
                <dd>
                  <Moment at={data.value.set_at} />
                </dd>
              </>
            )}
            <dt>Stops at the first failure</dt>
            <dd>{suite.fail_fast === false ? 'no' : 'yes'}</dd>
          </dl>
          <p class="note">Every evaluation carries the hash of what it was judged by.</p>
        </>
      )}
      {isChanging && data.value && <SuiteDialog suite={data.value} onClose={() => setChanging(false)} />}
    </Panel>
  );
}

/** A gate by its name; one with options says them on hover. */
function GateChip({ gate }: { gate: unknown }) {
  if (typeof gate === 'string') return <Chip tone="accent">{gate}</Chip>;
  const [name = '', options] = Object.entries(gate as Record<string, unknown>)[0] ?? [];
  return (
    <Chip tone="accent" title={JSON.stringify(options)}>
      {name} …
    </Chip>
  );
}
