/**
 * The compact form of a window, for a store to keep beside the record. Little-endian: version (1 byte), flags (1 byte:
 * whether agent latencies follow), count (2), lifetime (8, a double), one bit per evaluation for passed, then the
 * latencies as doubles, oldest first. A full window takes 4,075 bytes, or 8,075 with agent latencies.
 */
import { RenownError } from './errors.ts';
import { LIMITS } from './limits.ts';
import type { Evaluation } from './reputation.ts';
import { isEvaluation, ReputationWindow } from './reputation-window.ts';

const VERSION = 1;
const HEADER_BYTES = 12;

export function toWindowBytes(window: ReputationWindow): Uint8Array {
  const evaluations = [...window.evaluations()];
  const withAgent = evaluations.some(({ agentLatencyMs }) => agentLatencyMs !== undefined);
  const layout = layoutOf(evaluations.length, withAgent);
  const bytes = new Uint8Array(layout.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint8(1, withAgent ? 1 : 0);
  view.setUint16(2, evaluations.length, true);
  view.setFloat64(4, window.reputation().lifetimeEvaluations, true);
  evaluations.forEach(({ passed, latencyMs, agentLatencyMs }, i) => {
    const byte = HEADER_BYTES + (i >> 3);
    if (passed) view.setUint8(byte, view.getUint8(byte) | (1 << (i & 7)));
    view.setFloat64(layout.latencies + i * 8, latencyMs, true);
    if (withAgent) view.setFloat64(layout.agentLatencies + i * 8, agentLatencyMs ?? Number.NaN, true);
  });
  return bytes;
}

/** Throws `corrupt_data` for bytes that no window can be made from. */
export function fromWindowBytes(bytes: Uint8Array): ReputationWindow {
  if (bytes.length < HEADER_BYTES) throw corrupt(`it has ${bytes.length} bytes, fewer than its header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [version, flags] = [view.getUint8(0), view.getUint8(1)];
  if (version !== VERSION || flags > 1)
    throw corrupt(`its version is ${version}.${flags}, which is not known here`);
  const count = view.getUint16(2, true);
  const lifetime = view.getFloat64(4, true);
  const layout = layoutOf(count, flags === 1);
  if (count > LIMITS.windowSize || bytes.length !== layout.length) {
    throw corrupt(`its length of ${bytes.length} bytes does not fit its count of ${count}`);
  }
  if (!Number.isSafeInteger(lifetime) || lifetime < count) throw corrupt('its lifetime count is impossible');
  const evaluations = Array.from({ length: count }, (_, i) => readEvaluation(view, layout, i));
  return ReputationWindow.from(evaluations, lifetime);
}

interface Layout {
  latencies: number;
  /** Equal to `length` when the window has none. */
  agentLatencies: number;
  length: number;
}

function layoutOf(count: number, withAgent: boolean): Layout {
  const latencies = HEADER_BYTES + Math.ceil(count / 8);
  const agentLatencies = latencies + count * 8;
  return { latencies, agentLatencies, length: agentLatencies + (withAgent ? count * 8 : 0) };
}

function readEvaluation(
  view: DataView,
  { latencies, agentLatencies, length }: Layout,
  i: number,
): Evaluation {
  const passed = ((view.getUint8(HEADER_BYTES + (i >> 3)) >> (i & 7)) & 1) === 1;
  const latencyMs = view.getFloat64(latencies + i * 8, true);
  const agent = agentLatencies < length ? view.getFloat64(agentLatencies + i * 8, true) : Number.NaN;
  const agentLatencyMs = Number.isNaN(agent) ? undefined : agent;
  if (!isEvaluation(passed, latencyMs, agentLatencyMs))
    throw corrupt(`evaluation ${i} has an impossible latency`);
  return { passed, latencyMs, agentLatencyMs };
}

function corrupt(why: string): RenownError {
  return new RenownError(
    'corrupt_data',
    `A stored reputation window cannot be read: ${why}. Rebuild it from its evaluations.`,
  );
}
