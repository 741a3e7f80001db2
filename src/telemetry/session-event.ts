/** What every source of telemetry is turned into: one event of one session, metadata only. */

/** The name for work under no masque. */
export const NO_MASQUE = 'none';

export const EVENT_KINDS = [
  'other',
  'prompt',
  'tool',
  'model',
  'error',
  'retry',
  'rejection',
  'compaction',
  'loop',
  'end',
  'metric',
  'attempt',
] as const;
/**
 * `prompt`: a person asked. `tool`: a tool was called, and has an outcome once its result is there. `model`: a request to
 * a model. `error`: such a request failed for good. `retry`: requests that were tried again. `rejection`: a tool that was
 * not allowed to run. `loop`: the agent itself noticed that it went in circles. `end`: the session said that it ended.
 * `metric`: a sum that only metrics tell. `attempt`: a request to a model that failed, for good unless another try
 * followed; its amount is 1 where it was itself another try. `other`: proof that the session was alive, nothing more.
 */
export type EventKind = (typeof EVENT_KINDS)[number];

/** Each token once: input is what neither came from a cache nor went into one. */
export interface Tokens {
  input: number;
  output: number;
  /** Null where the source does not tell. */
  cacheRead: number | null;
  cacheWrite: number | null;
}

/** What a dialect reads out of a record. */
export interface Reading {
  kind: EventKind;
  /** What makes two reports one event, where the source has such an id; else the content decides. */
  id?: string | undefined;
  /** Of the tool, the model or the metric. */
  name?: string | undefined;
  /** Of a tool: whether it went well; absent while its result is not there. */
  ok?: boolean | undefined;
  /** What the kind counts: milliseconds of a tool, attempts of a retry, the value of a metric. */
  amount?: number | undefined;
  tokens?: Tokens | undefined;
  costUsd?: number | undefined;
  /** Told by a second source of the same session, which counts only where the first is silent. */
  secondary?: true | undefined;
}

export interface SessionEvent extends Reading {
  /** For an event without an id: what tells it apart from one that looks the same and happened at the same moment. */
  mark?: string | undefined;
  sessionId: string;
  /** Of the span that told it: the trace of a turn, whatever the order in which its spans come. */
  traceId?: string | undefined;
  agent: AgentName;
  dialect: string;
  /** Empty where the record names none. */
  masque: string;
  /** How the agent was started, where it says so. */
  entrypoint: string;
  at: number;
  /** When it began, where that is told apart: the session was under way by then. */
  since: number;
  /** Whether the record could have told of tools and prompts: a metric cannot. */
  detailed: boolean;
}

/** Whose session it is; of two names for one session the one of the higher rank counts. */
export interface AgentName {
  name: string;
  rank: number;
}
