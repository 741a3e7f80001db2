/** What others get to see: a badge for a page, and a signed statement that they verify without asking us. */
import { useState } from 'preact/hooks';
import { type ApiError, addressOf, ask } from '../../api.ts';
import { refresh } from '../../query.ts';
import { canAdminister, me } from '../../session.ts';
import { Code, Panel, Problem } from '../../ui/parts.tsx';
import { Moment } from '../../ui/time.tsx';
import type { Agent, Receipt } from '../../wire.ts';

export function ForOthersPanel({ agent }: { agent: Agent }) {
  const [error, setError] = useState<ApiError | null>(null);
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const change = (isPublic: boolean) =>
    ask(`v1/agents/${encodeURIComponent(agent.agent_id)}`, { method: 'PATCH', body: { public: isPublic } })
      .then(() => refresh('v1/agents'))
      .catch(setError);
  const issue = () =>
    ask<Receipt>('v1/receipts', { method: 'POST', body: { agent_id: agent.agent_id } })
      .then(setReceipt)
      .catch(setError);
  return (
    <Panel
      title="For others"
      action={
        canAdminister.value && (
          <>
            <button type="button" onClick={() => void change(!agent.public)}>
              {agent.public ? 'Make private' : 'Make public'}
            </button>
            <button type="button" onClick={() => void issue()}>
              Issue a receipt
            </button>
          </>
        )
      }
    >
      <Problem error={error} />
      <Badge agent={agent} />
      {receipt ? (
        <>
          <Code text={receipt.receipt} label="Copy receipt" />
          <p class="note">
            Good until <Moment at={receipt.expires_at} />; anybody verifies it with{' '}
            <code>renown receipt verify</code>.
          </p>
        </>
      ) : (
        <p class="note">
          A receipt is a signed statement of score, band and evidence, verified offline with the keys under{' '}
          <code>/.well-known/jwks.json</code>.
        </p>
      )}
    </Panel>
  );
}

function Badge({ agent }: { agent: Agent }) {
  const org = me.value?.signed_in ? me.value.org_id : '';
  const address = addressOf(`public/${org}/${encodeURIComponent(agent.agent_id)}`);
  if (!agent.public) {
    return (
      <p class="note badge-note">
        This agent is private: outsiders see nothing of it. A public one has a profile and a badge, which say
        the score from 50 evaluations on.
      </p>
    );
  }
  return (
    <>
      <img class="badge" src={`${address}/badge.svg`} alt={`Badge of ${agent.agent_id}`} />
      <Code text={`[![Renown](${address}/badge.svg)](${address})`} label="Copy markdown" />
    </>
  );
}
