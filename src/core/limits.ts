/**
 * Every bound of the product in one place, units last in the name.
 * Constants that belong to a formula (the streak of 50, the weights) stand beside that formula instead.
 */
export const LIMITS = {
  /** An agent's reputation is made from its last 500 counting evaluations. */
  windowSize: 500,
  agentIdCodePointsMax: 200,
  latencyMsMax: 86_400_000,
  signalWeightMax: 100,
  scoreDeltaMax: 1_000,
  /** The range of a JavaScript Date, so that every accepted time can be written as one. */
  epochMsMax: 8.64e15,
  /** How many bad fields one error lists; the message says how many there were in all. */
  issuesListedMax: 20,
  issuePathLengthMax: 200,
  /** Writes that may wait for a commit of the embedded store; beyond it callers are told to come back. */
  writesWaitingMax: 10_000,
  /** Rows that go into one commit: two groups of this size take turns, one being prepared and one being written. */
  commitRowsMax: 4_096,
  /** Windows of agents kept in memory: about 9 kB each when full. */
  windowsCachedMax: 10_000,
  /** What `renown score` reads before it parses. Its answer can be four times as long, and V8 holds no text over 512 MiB. */
  scoreInputBytesMax: 32 * 1024 * 1024,
  /** One line of telemetry: an export batch, or an entry of a transcript. Longer ones are passed over and counted. */
  telemetryLineBytesMax: 64 * 1024 * 1024,
  /** Earlier sessions that make a baseline: fewer say nothing, and those before the last so many are old news. */
  baselineSessionsMin: 5,
  baselineSessionsMax: 20,
  /** Values on either side of a bootstrap; each is drawn two thousand times. */
  bootstrapSampleMax: 100_000,
} as const;
