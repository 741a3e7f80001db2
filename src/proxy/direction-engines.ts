import { createEngine, type Engine } from '../gates/engine.ts';
import { injection } from '../gates/injection.ts';
import { hashSuite, openSuite, type Suite, type SuiteEntry } from '../gates/suite.ts';

/**
 * Gates that have nothing to say of a tool call's arguments: a call without any is not empty output, orders in it are
 * the agent's own, and neither a time nor a shape of an answer exists yet.
 */
const ANSWERS_ONLY = new Set(['content', 'injection', 'latency', 'schema']);

/**
 * A gate that overruns its time blocks, and a machine that pauses for a moment must not block a tool call: here somebody
 * waits for a tool anyway, so gates have more time than the 50 ms of an engine, unless the suite says otherwise.
 */
const TIMEOUT_MS = 2000;

/** The engines of a suite for each direction. All of them carry the hash of the whole suite. */
export async function openDirections(
  suite: Suite,
): Promise<{ request: Engine | null; response: Engine; reading: Engine }> {
  const suiteHash = hashSuite(suite);
  const open = (gates: readonly SuiteEntry[]) =>
    openSuite({ timeout_ms: TIMEOUT_MS, ...suite, gates }, { suiteHash });
  const onRequests = suite.gates.filter((entry) => !ANSWERS_ONLY.has(kindOf(entry)));
  return {
    request: onRequests.length > 0 ? await open(onRequests) : null,
    response: await open(suite.gates),
    reading: createEngine({ gates: [injection()], timeoutMs: suite.timeout_ms ?? TIMEOUT_MS, suiteHash }),
  };
}

function kindOf(entry: SuiteEntry): string {
  return typeof entry === 'string' ? entry : (Object.keys(entry)[0] ?? '');
}
