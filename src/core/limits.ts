/**
 * Every bound of the product in one place, units last in the name.
 * Constants that belong to a formula (the streak of 50, the weights) stand beside that formula instead.
 */
import { CLIENT_LIMITS } from './client-limits.ts';

export const LIMITS = {
  ...CLIENT_LIMITS,
  /** An agent's reputation is made from its last 500 counting evaluations. */
  windowSize: 500,
  signalWeightMax: 100,
  scoreDeltaMax: 1_000,
  /** The range of a JavaScript Date, so that every accepted time can be written as one. */
  epochMsMax: 8.64e15,
  /** Writes that may wait for a commit of the embedded store; beyond it callers are told to come back. */
  writesWaitingMax: 10_000,
  /** Rows that go into one commit: two groups of this size take turns, one being prepared and one being written. */
  commitRowsMax: 4_096,
  /** Windows of agents kept in memory: about 9 kB each when full. */
  windowsCachedMax: 10_000,
  /** How long a statement may take on ClickHouse before the server counts as away, unless its URL says otherwise. */
  clickhouseTimeoutMs: 60_000,
  /** How long a server that was away may take to say that it is back. */
  clickhousePingMs: 5_000,
  /** From the mark that an insert leaves on a day to the moment at which all of it can surely be seen. */
  clickhouseSettleMs: 120_000,
  /** Days that are rolled up at once, and how often. */
  rollUpDaysMax: 10_000,
  rollUpEveryMs: 60_000,
  /** What a node keeps on its disk for a server that is away; beyond it writes are refused. */
  spoolBytesMax: 256 * 1024 * 1024,
  spoolRetryMs: 500,
  /** A request body, and what a gzip body may grow to. */
  requestBodyBytesMax: 8 * 1024 * 1024,
  requestHeaderBytesMax: 16 * 1024,
  /**
   * How long a gate may take where somebody waits for its answer, unless the suite says otherwise: a machine that pauses
   * for a moment must not block an output.
   */
  gatePatienceMs: 2_000,
  /** Lists and objects inside each other, before anything is parsed; the request itself is the first. */
  jsonDepthMax: 64,
  pageSizeMax: 200,
  pageSizeDefault: 50,
  tagsMax: 20,
  tagLengthMax: 100,
  attributesMax: 50,
  attributeLengthMax: 1_000,
  /** Agents that one overview shows: about half a kilobyte each. */
  overviewAgentsMax: 10_000,
  /** Results of tool calls in one answer. */
  toolResultsMax: 1_000,
  /** Points of one history. */
  historyPointsMax: 750,
  orgIdLengthMax: 63,
  /** Signing secrets of an org that are good at the same time. */
  signingSecretsMax: 2,
  signatureToleranceMs: 5 * 60_000,
  /** Keys, and addresses without one, whose use is remembered for their limits. */
  rateBucketsMax: 20_000,
  keysCachedMax: 10_000,
  /** How long a key is believed to be as it was last seen, so that another node's revocation is noticed. */
  keyTrustMs: 5_000,
  /** How long the dashboard keeps somebody signed in, and how long the link printed at the start is good. */
  webSessionMs: 7 * 86_400_000,
  signInLinkMs: 60 * 60_000,
  streamsMax: 200,
  streamsPerKeyMax: 50,
  streamPageMax: 500,
  /** How long a stopping server waits for what is under way: half of what service managers give it in all. */
  drainMs: 5_000,
  /** Sessions that one run covers: their ids are held in memory, about 60 bytes each. */
  runSessionsMax: 1_000_000,
  /** Sessions that a run names by their ids. */
  runSessionIdsMax: 1_000,
  /** Sessions that a run reads, scores and stores at a time. */
  runBatchSessions: 100,
  /** Runs that one node works on at a time. */
  runsAtOnceMax: 2,
  /** Of one org, waiting or under way. */
  runsWaitingMax: 200,
  /** How long a run belongs to a node that says nothing more about it. */
  runLeaseMs: 30_000,
  /** How often a run says how far it is. */
  runProgressMs: 1_000,
  /** Failed sessions that a run names; it counts them all. */
  runFailuresListedMax: 100,
  /** Sessions of a run's choice in one document: a few hundred kilobytes of ids. */
  runChosenPerDocument: 10_000,
  monitorsMax: 200,
  /** Moments of a monitor that are caught up when nothing ran for long: 16 hours of minutes, 250 days of `every_6h`. */
  monitorCatchUpMax: 1_000,
  /** Text of a turn that a judge is shown, in UTF-16 units. */
  judgeTextLengthMax: 12_000,
  judgeTokensMax: 200,
  judgeTimeoutMs: 20_000,
  judgeAnswerBytesMax: 256 * 1024,
  /** Questions that one process puts to a judge in a day. */
  judgeCallsMax: 10_000,
  /** Questions of the receiver that wait for a judge, that it is asked at once, and how long a stop waits for its answers. */
  judgeQueueMax: 500,
  judgeLanes: 4,
  judgeStopMs: 1_500,
  judgementsCachedMax: 10_000,
  cadenceLengthMax: 100,
  /** What `renown score` reads before it parses. Its answer can be four times as long, and V8 holds no text over 512 MiB. */
  scoreInputBytesMax: 32 * 1024 * 1024,
  /** One line of telemetry: an export batch, or an entry of a transcript. Longer ones are passed over and counted. */
  telemetryLineBytesMax: 64 * 1024 * 1024,
  /** What one event of telemetry may count: tokens, dollars, and milliseconds or the value of a metric. */
  eventTokensMax: 1e12,
  eventCostUsdMax: 1e9,
  eventAmountMax: 1e15,
  /** Turns whose texts are in memory while they pass by, their text in all, and how long one waits for more. */
  turnsOpenMax: 200,
  turnsTextLengthMax: 16 * 1024 * 1024,
  /** Messages of a model in JSON that are parsed for what was said, in UTF-16 units. */
  messagesLengthMax: 1024 * 1024,
  /** Text, answers and tool calls of one. */
  turnTextLengthMax: 256 * 1024,
  turnAnswersMax: 500,
  turnCallsMax: 500,
  turnQuietMs: 10 * 60_000,
  /** A session of which nothing has come for so long is over, and is judged. */
  sessionQuietMs: 30 * 60_000,
  /** How often it is looked for such sessions, and how many are judged in one go. */
  judgeEveryMs: 15_000,
  judgedAtOnce: 200,
  /** How long a session that could not be judged waits for another try, and how many of them are remembered. */
  judgePutOffMs: 10 * 60_000,
  judgePutOffMax: 10_000,
  /** Sessions that a card sums up. */
  cardSessionsMax: 100,
  /** What waits to be forwarded; beyond it the newest is dropped, and counted. */
  forwardQueueMax: 1_000,
  forwardQueueBytesMax: 64 * 1024 * 1024,
  forwardTimeoutMs: 10_000,
  /** Earlier sessions that make a baseline: fewer say nothing, and those before the last so many are old news. */
  baselineSessionsMin: 5,
  baselineSessionsMax: 20,
  /** Values on either side of a bootstrap; each is drawn two thousand times. */
  bootstrapSampleMax: 100_000,
  /** Evaluations that a check looks ahead: by then the window has been exchanged twice, and nothing changes any more. */
  checkHorizon: 1_000,
  /** Evaluations between the two moments of one explanation. */
  explainedMax: 2_000,
  /** Evaluations that one comparison looks back. */
  comparedMax: 20_000,
  /** Marks on one chart. */
  marksMax: 200,
  receiptLifetimeSMax: 366 * 86_400,
  /** Orgs whose keys stand in one public set. */
  jwksOrgsMax: 1_000,
  /** Of one org, published until what they signed has expired. */
  formerReceiptKeysMax: 50,
  urlLengthMax: 2_000,
  webhooksMax: 20,
  /** Deliveries attempted in one go. */
  deliveriesAtOnce: 100,
  webhookTimeoutMs: 10_000,
  alertsKeptDays: 90,
  /** After which an alert that was begun and not said is said by whoever finds it. */
  alertPendingMs: 60_000,
  /** Orgs that a node looks after at a time. */
  orgsWatchedAtOnce: 8,
  /** Detectors in memory: about 500 bytes each. */
  detectorsCachedMax: 50_000,
  /** How long a node that watches an org is believed to be alive. */
  watchLeaseMs: 30_000,
  /** How much a node that dies leaves to be watched again. */
  watchSaveMs: 10_000,
  /** How many verdicts are read for it at a time. */
  watchPageMax: 10_000,
  /** One message of MCP, which the proxy holds until it is whole. */
  proxyMessageBytesMax: 64 * 1024 * 1024,
  /** Requests that an MCP server may leave unanswered before further ones are refused. */
  proxyPendingMax: 100_000,
  /** Cancelled calls, and calls that became tasks, that the proxy still knows when something comes of them. */
  proxyRememberedMax: 1000,
} as const;
