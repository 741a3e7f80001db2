/** The bounds that hold in a caller's own process too: apart from the others, because the SDK carries them wherever it goes. */
export const CLIENT_LIMITS = {
  agentIdCodePointsMax: 200,
  latencyMsMax: 86_400_000,
  /** A smaller share says nothing about an agent, and would make weights that swamp the rest. */
  sampleRateMin: 1e-6,
  /** How many bad fields one error lists; the message says how many there were in all. */
  issuesListedMax: 20,
  issuePathLengthMax: 200,
  /** Events in one request. */
  batchMax: 1_000,
  /** Ids of evaluations, sessions, traces and events; names of tools, models and versions. */
  nameLengthMax: 200,
  gatesMax: 50,
  reasonLengthMax: 300,
  /** Text that the gates of one evaluation look at, in UTF-16 units; what lies beyond is not looked at. */
  gateTextLengthMax: 1024 * 1024,
  /** How deep gates follow nested values. */
  gateDepthMax: 64,
  /** Fields and elements that one walk over a value visits, so that a million empty lists cost a bounded time too. */
  gateNodesMax: 200_000,
  gateTimeoutMsMax: 60_000,
  gateFileBytesMax: 256 * 1024,
  /** Evaluations that the SDK may hold back while the server is away: about 1 kB each. */
  sdkQueueMax: 1_000_000,
  patternLengthMax: 1_000,
  patternsMax: 100,
  /** Instructions of a compiled pattern. Each may be tried at each character: 300 cost a third of a second over 30 kB. */
  patternStepsMax: 300,
  /** Subschemas that one validation may visit. */
  schemaStepsMax: 100_000,
} as const;
