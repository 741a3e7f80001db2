/**
 * What is known of a session as a whole, before anything is counted. Two heads of one session join to one that holds what
 * both say, the same in whatever order and however often they come: that is what makes replays harmless.
 */
export interface SessionHead {
  readonly sessionId: string;
  /** By the word of the records; empty where they name none. */
  readonly masque: string;
  /** Whose session it is; empty where nobody says. Of two names the one of the higher rank counts. */
  agent: string;
  agentRank: number;
  /** In the order of the alphabet. */
  dialects: string[];
  /** How the agent was started; empty where it does not say. */
  entrypoint: string;
  /** 0 while no record with a time was seen. */
  firstAt: number;
  lastAt: number;
  ended: boolean;
  /** Whether anything but metrics was seen: only then is a missing tool a tool that was not called. */
  detailed: boolean;
}

export function emptyHead(sessionId: string, masque: string): SessionHead {
  return {
    sessionId,
    masque,
    agent: '',
    agentRank: -1,
    dialects: [],
    entrypoint: '',
    firstAt: 0,
    lastAt: 0,
    ended: false,
    detailed: false,
  };
}

export function joinHead(head: SessionHead, other: Readonly<SessionHead>): void {
  if (other.firstAt > 0 && (head.firstAt === 0 || other.firstAt < head.firstAt)) head.firstAt = other.firstAt;
  head.lastAt = Math.max(head.lastAt, other.lastAt);
  if (isBetterAgent(head, other.agent, other.agentRank)) {
    head.agent = other.agent;
    head.agentRank = other.agentRank;
  }
  head.dialects = [...new Set([...head.dialects, ...other.dialects])].sort();
  if (isBetterEntrypoint(head, other.entrypoint)) head.entrypoint = other.entrypoint;
  head.ended ||= other.ended;
  head.detailed ||= other.detailed;
}

/** Of names of the same rank the first in the alphabet: any rule would do that does not depend on the order of arrival. */
export function isBetterAgent({ agent, agentRank }: SessionHead, name: string, rank: number): boolean {
  return rank > agentRank || (rank === agentRank && name < agent);
}

export function isBetterEntrypoint({ entrypoint }: SessionHead, name: string): boolean {
  return name !== '' && (entrypoint === '' || name < entrypoint);
}
