import { useEffect } from 'preact/hooks';
import { refresh, useQuery } from '../query.ts';
import { listen } from '../stream.ts';
import { Chip, PageHead, Problem, Skeleton } from '../ui/parts.tsx';
import { Lifecycle } from '../ui/score.tsx';
import { Ago } from '../ui/time.tsx';
import type { Card, Changes, Window } from '../wire.ts';
import { ChangeNotice } from './agent/change-notice.tsx';
import { CheckPanel } from './agent/check.tsx';
import { ComparePanel } from './agent/compare.tsx';
import { EvaluationsPanel } from './agent/evaluations.tsx';
import { ForOthersPanel } from './agent/for-others.tsx';
import { HistoryPanel } from './agent/history.tsx';
import { IdentityPanel } from './agent/identity.tsx';
import { MovedPanel } from './agent/moved.tsx';
import { ScorePanel } from './agent/score.tsx';
import { SessionsPanel } from './agent/sessions.tsx';
import { GatesPanel, LatencyPanel, WindowPanel } from './agent/window.tsx';
import { FirstSteps } from './first-steps.tsx';
import { nameOf } from './overview-order.ts';

/** How long several evaluations are gathered before the page is read anew. */
const CALM_MS = 1_000;

export function Agent({ id }: { id: string }) {
  const encoded = encodeURIComponent(id);
  const card = useQuery<Card>(`v1/agents/${encoded}/card`);
  const window = useQuery<Window>(`v1/reputation/${encoded}/window`);
  const changes = useQuery<Changes>(`v1/reputation/${encoded}/changes`);
  useNews(id);
  const { agent, scores } = card.data.value ?? {};
  if (!agent || !scores) {
    return (
      <>
        <PageHead title={id} above={<a href="./">Agents</a>} />
        <Problem error={card.error.value} />
        {!card.error.value && <Skeleton rows={4} height={120} />}
      </>
    );
  }
  const { reputation, identity } = scores;
  const head = (
    <PageHead title={nameOf(agent)} above={<a href="./">Agents</a>}>
      <Lifecycle lifecycle={reputation.lifecycle} />
      {agent.public && <Chip>public</Chip>}
      <code>{agent.agent_id}</code>
      {reputation.updated_at && (
        <span class="note">
          last seen <Ago at={reputation.updated_at} />
        </span>
      )}
    </PageHead>
  );
  if (reputation.lifetime_evaluations === 0 && !identity) {
    return (
      <>
        {head}
        <FirstSteps agentId={id} />
      </>
    );
  }
  return (
    <>
      {head}
      <Problem error={card.error.value} />
      <ChangeNotice changes={changes.data.value} />
      <div class="agent-grid">
        <ScorePanel reputation={reputation} />
        <HistoryPanel id={id} changes={changes.data.value} />
        <WindowPanel query={window} size={reputation.window_size} />
        <GatesPanel query={window} />
        <MovedPanel id={id} />
        <IdentityPanel identity={identity} />
        <CheckPanel id={id} reputation={reputation} />
        <LatencyPanel query={window} reputation={reputation} />
        <ComparePanel id={id} />
        <ForOthersPanel agent={agent} />
        <EvaluationsPanel id={id} />
        <SessionsPanel id={id} scores={scores} />
      </div>
    </>
  );
}

/** Whatever arrives for this agent is shown within a moment. */
function useNews(id: string) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listen({
      evaluation({ agent_id }) {
        if (agent_id !== id) return;
        timer ??= setTimeout(() => {
          timer = undefined;
          void refresh('v1/');
        }, CALM_MS);
      },
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [id]);
}
