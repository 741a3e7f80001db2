import { LIMITS } from '../core/limits.ts';
import { createEngine, type Engine } from '../gates/engine.ts';
import type { Gate } from '../gates/gate.ts';
import { injection } from '../gates/injection.ts';
import { engineOptionsOf, hashSuite, makeGates, type Suite, type SuiteEntry } from '../gates/suite.ts';
import { isSilent } from './readable.ts';

/**
 * Gates that have nothing to say of a tool call's arguments: a call without any is not empty output, orders in it are
 * the agent's own, and no time exists yet.
 */
const ANSWERS_ONLY = new Set(['content', 'injection', 'latency']);

/**
 * A gate that overruns its time blocks, and a machine that pauses for a moment must not block a tool call: here somebody
 * waits for a tool anyway, so gates have more time than the 50 ms of an engine, unless the suite says otherwise.
 */
const TIMEOUT_MS = 2000;
/** All of every message that is relayed at all: a text that a gate has not read to its end does not pass. */
const BOUNDS = { length: LIMITS.proxyMessageBytesMax, nodes: LIMITS.proxyMessageBytesMax };

export interface Directions {
  /** Judges the arguments of tool calls; null when no gate of the suite looks at them. */
  request: Engine | null;
  /** Judges the answers of tool calls. */
  response: Engine;
  /** Judges what comes of a tool call before its result; null when no gate of the suite looks at mere text. */
  interim: Engine | null;
  /** Judges resources and prompts. */
  reading: Engine;
}

/** The engines of a suite for each direction. All of them carry the hash of the whole suite. */
export async function openDirections(suite: Suite): Promise<Directions> {
  const suiteHash = hashSuite(suite);
  const options = { timeoutMs: TIMEOUT_MS, bounds: BOUNDS, ...engineOptionsOf(suite), suiteHash };
  const open = async (entries: readonly SuiteEntry[]) =>
    createEngine({ ...options, gates: (await makeGates({ gates: entries })).map(overParts) });
  const onRequests = suite.gates.flatMap(forRequests);
  const onTexts = suite.gates.flatMap((entry) => {
    const kind = kindOf(entry);
    return kind === 'injection' ? [entry] : kind === 'schema' ? [] : forRequests(entry);
  });
  return {
    request: onRequests.length > 0 ? await open(onRequests) : null,
    response: await open(suite.gates),
    interim: onTexts.length > 0 ? await open(onTexts) : null,
    reading: createEngine({ ...options, gates: [injection()] }),
  };
}

/** What of an entry judges a tool call before the server has it. */
function forRequests(entry: SuiteEntry): SuiteEntry[] {
  const kind = kindOf(entry);
  const options = typeof entry === 'string' ? {} : entry[kind];
  if (ANSWERS_ONLY.has(kind)) return [];
  if (kind === 'schema') return (options as { target?: unknown }).target === 'input' ? [entry] : [];
  if (kind !== 'pattern') return [entry];
  // What an answer has to say need not be in the question.
  const { allow: _, ...rest } = options as { allow?: unknown; deny?: readonly string[] };
  return rest.deny?.length ? [{ pattern: rest }] : [];
}

function kindOf(entry: SuiteEntry): string {
  return typeof entry === 'string' ? entry : (Object.keys(entry)[0] ?? '');
}

/** The `content` gate knows nothing of MCP, whose answers have a list of parts even when they are empty. */
function overParts(gate: Gate): Gate {
  if (gate.name !== 'content') return gate;
  return {
    name: gate.name,
    run: (context, signal) =>
      gate.run(isSilent(context.output) ? { ...context, output: null } : context, signal),
  };
}
