import { addressOf } from '../api.ts';
import { Code, Empty } from '../ui/parts.tsx';

/** Nothing has been evaluated yet: the command that changes this. The page notices by itself. */
export function FirstSteps({ agentId = '' }: { agentId?: string }) {
  const body = JSON.stringify({
    agent_id: agentId || 'my-agent',
    output: 'Your parcel arrives on Tuesday.',
  }).replaceAll("'", String.raw`'\''`);
  const command = `curl -s ${addressOf('v1/evaluate')} \\
  -H 'Authorization: Bearer pk_live_…' -H 'Content-Type: application/json' \\
  -d '${body}'`;
  return (
    <Empty>
      <h2>{agentId ? 'Nobody has evaluated this agent here' : 'No agent has been evaluated yet'}</h2>
      <p>Send the first evaluation with a key of this org, and it shows here at once:</p>
      <Code text={command} />
      <p class="note">
        Keys are made in <a href="settings">Settings</a>. The SDK and the MCP proxy send evaluations by
        themselves; to look around with made-up agents, start an empty server with{' '}
        <code>renown serve --demo</code>.
      </p>
    </Empty>
  );
}
