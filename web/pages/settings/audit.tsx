import { ListTable } from '../../ui/list-table.tsx';
import { usePages } from '../../ui/pager.tsx';
import { Panel } from '../../ui/parts.tsx';
import { Moment } from '../../ui/time.tsx';
import type { AuditPage } from '../../wire.ts';

export function AuditPanel() {
  const pager = usePages<AuditPage['items'][number]>('v1/audit', { limit: 20 }, { everyMs: 5_000 });
  return (
    <Panel title="Audit log" note="newest first">
      <ListTable
        list={pager}
        columns={['When', 'What', 'To what', 'By', 'Note']}
        empty="Nothing yet."
        row={({ audit_id, at, actor, action, target, note }) => (
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
        )}
      />
    </Panel>
  );
}
