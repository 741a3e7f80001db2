/**
 * GitHub Copilot, the CLI and VS Code. Sources: github/docs, copilot-cli-reference; code.visualstudio.com, monitoring
 * agents. GenAI spans with a cost; what happens to the session itself (compaction, errors, the end) are events within
 * spans. The session is `gen_ai.conversation.id`; in VS Code `session.id` is the window, which outlives many. Its logs
 * repeat its spans.
 */
import { attribute } from '../attributes.ts';
import { CONVERSATION_ID, type Dialect, SERVICE_NAME } from '../dialect.ts';
import type { Reading } from '../session-event.ts';
import type { TelemetryRecord } from '../telemetry-record.ts';
import { readGenAiSpan } from './genai.ts';

const COST = attribute('github.copilot.cost');
const CHAT_SESSION = attribute('copilot_chat.chat_session_id');
const SERVICES = ['github-copilot', 'copilot-chat'];

export const copilot: Dialect = {
  name: 'copilot',
  matches: (record) =>
    record.scope.startsWith('github.copilot') || SERVICES.includes(record.text(SERVICE_NAME) ?? ''),
  session: (record) => record.text(CONVERSATION_ID) ?? record.text(CHAT_SESSION),
  read(record) {
    if (record.kind === 'span_event') return readLifecycle(record);
    if (record.kind !== 'span') return null;
    const reading = readGenAiSpan(record);
    // The span of a whole turn repeats the cost of its calls.
    return reading?.kind === 'model' ? { ...reading, costUsd: record.number(COST) } : reading;
  },
};

function readLifecycle({ name, spanId }: TelemetryRecord): Reading | null {
  if (name === 'github.copilot.session.compaction_complete') return { kind: 'compaction' };
  if (name === 'github.copilot.session.shutdown') return { kind: 'end' };
  // A failed call has the same exception on its span, under the same id.
  return name === 'exception' ? { kind: 'error', id: spanId } : null;
}
