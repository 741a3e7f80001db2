/** Verdicts of the server that has this machine's ledger open: where telemetry went that no file has. */
import type { SessionAnswer } from '../../core/contract/session.ts';
import { RenownError } from '../../core/errors.ts';
import { storeUrl } from '../../server/configuration.ts';
import type { JudgeRequest } from '../../service/judge-sessions.ts';
import type { CommandInput } from '../command.ts';
import type { Io } from '../io.ts';
import type { Ledger } from '../ledger.ts';
import { ledgerOverHttp } from '../ledger-over-http.ts';
import { listAll } from '../list-all.ts';
import { configurationOf, findServerFile } from '../with-ledger.ts';
import type { VerdictWire } from './render-card.ts';

export interface ServerSessions {
  /** For people. */
  place: string;
  /** None when the server knows no such session. */
  verdicts(request: JudgeRequest): Promise<VerdictWire[]>;
}

const DEFAULT_ORG = 'default';

/** Null when no server runs here. */
export async function findServerSessions(input: CommandInput, io: Io): Promise<ServerSessions | null> {
  const file = await findServerFile(storeUrl(await configurationOf(input, io)));
  if (!file) return null;
  const ledger = ledgerOverHttp(file);
  const { items } = await ledger.listOrgs();
  // The one that telemetry of this machine belongs to.
  const org = items.find(({ org_id }) => org_id === DEFAULT_ORG) ?? items[0];
  if (!org) return null;
  return {
    place: `the server at ${file.url}`,
    async verdicts(request) {
      const ask = (sessionId: string) => judge(ledger, org.org_id, { sessionId, request });
      if (typeof request.which === 'object') return ask(request.which.session);
      const all: VerdictWire[] = [];
      // The one with the latest event first.
      const sessions = listAll<{ session_id: string }>(ledger, org.org_id, '/v1/sessions');
      for await (const { session_id } of sessions) {
        const verdicts = await ask(session_id);
        if (request.which === 'last' && verdicts.length > 0) return verdicts;
        all.push(...verdicts);
      }
      return all.sort((a, b) => ((a.session.donned_at ?? '') < (b.session.donned_at ?? '') ? -1 : 1));
    },
  };
}

async function judge(
  ledger: Ledger,
  orgId: string,
  { sessionId, request }: { sessionId: string; request: JudgeRequest },
): Promise<VerdictWire[]> {
  const question = toQuestion(request);
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}`;
  try {
    // A look that writes nothing down.
    const answer = await ledger.ask<SessionAnswer>(
      orgId,
      question ? { method: 'POST', path: `${path}/judge`, body: question } : { path },
    );
    return answer.verdicts as unknown as VerdictWire[];
  } catch (error) {
    if (error instanceof RenownError && error.code === 'not_found') return [];
    throw error;
  }
}

/** Null where there is nothing to say beyond which session. */
function toQuestion({ masque, masqueSession, window }: JudgeRequest): object | null {
  if (masque === undefined && masqueSession === undefined && window === undefined) return null;
  const { active, previous } = masqueSession ?? {};
  return {
    ...(masque !== undefined && { masque }),
    ...(window && Number.isFinite(window.from) && { from: window.from }),
    ...(window && Number.isFinite(window.to) && { to: window.to }),
    ...(masqueSession && {
      masque_session: {
        ...(active && { active: { name: active.name, donned_at: active.donnedAt } }),
        ...(previous && { previous: { name: previous.name, doffed_at: previous.doffedAt } }),
      },
    }),
  };
}
