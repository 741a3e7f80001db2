/**
 * One turn of an agent while its texts pass by: what was asked, what was said, which tools were called. It lives as long as
 * the extractors look at it, and nothing of it is kept but what they measure.
 */
export interface ToolCall {
  name: string;
  /** The arguments in one text; the same arguments in another order come to the same. Null where not told. */
  input: string | null;
  output: string | null;
  /** Null while no result is there. */
  ok: boolean | null;
}

export interface Turn {
  sessionId: string;
  traceId: string;
  startedAt: number | null;
  request: string | null;
  /** In their order. */
  answers: string[];
  /** In the order in which they were made. */
  calls: ToolCall[];
  /** The tools the agent had, where that is told. */
  tools: ReadonlySet<string> | null;
}

/** What an extractor saw: the value, and how much it was made from. Null where it cannot see. */
interface Measured {
  value: number;
  from: number;
}

export interface Extractor {
  /** Grows whenever the same turn would be measured otherwise. */
  version: number;
  /** What `from` counts. */
  unit: string;
  measure(turn: Turn): Measured | null;
}
