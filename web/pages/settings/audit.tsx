import { More, usePages } from '../../ui/pager.tsx';
import { Panel, Problem, Skeleton } from '../../ui/parts.tsx';
import { Moment } from '../../ui/time.tsx';
import type { AuditPage } from '../../wire.ts';

export function AuditPanel() {
  const pager = usePages<AuditPage['items'][number]>('v1/audit', { limit: 20 }, { everyMs: 5_000 });
  return (
    <Panel title="Audit log" note="newest first">
      <Problem error={pager.error} />
      {!pager.items && !pager.error && <Skeleton rows={4} />}
      {pager.items && (
        <div class="wide-table">
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">What</th>
                <th scope="col">To what</th>
                <th scope="col">By</th>
                <th scope="col">Note</th>
              </tr>
            </thead>
            <tbody>
              {pager.items.map(({ audit_id, at, actor, action, target, note }) => (
                <tr key={audit_id}>
                  <td>
                    <Moment at={at} />
                  </td>
                  <td>
                    <code>{action}</code>
                  </td>
                  <td class="id">{target}</td>
                  <td class="id">{actor}</td>
                  <td>{note}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More pager={pager} />
    </Panel>
  );
}
