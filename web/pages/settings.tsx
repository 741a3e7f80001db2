import { canAdminister } from '../session.ts';
import { PageHead, Panel } from '../ui/parts.tsx';
import { AuditPanel } from './settings/audit.tsx';
import { CountingPanel } from './settings/counting.tsx';
import { GatesPanel } from './settings/gates.tsx';
import { KeysPanel } from './settings/keys.tsx';
import { RetentionPanel } from './settings/retention.tsx';
import { SigningPanel } from './settings/signing.tsx';

export function Settings() {
  return (
    <>
      <PageHead title="Settings" />
      <div class="stack">
        {canAdminister.value ? (
          <>
            <KeysPanel />
            <div class="pair">
              <SigningPanel />
              <CountingPanel />
            </div>
          </>
        ) : (
          <Panel title="Keys and settings">
            <p class="note">
              You are signed in with a <code>pk</code> key, which looks and does not change things. Sign in
              with an <code>sk</code> key to administer the org.
            </p>
          </Panel>
        )}
        <GatesPanel />
        <RetentionPanel />
        {canAdminister.value && <AuditPanel />}
      </div>
    </>
  );
}
