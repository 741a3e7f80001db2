/**
 * The compact form of a window, for a store to keep beside the record. Little-endian: version (1 byte), flags (1 byte:
 * 1 when agent latencies follow, 2 when sample rates do), count (2), lifetime (8, a double), one bit per evaluation for
 * passed, two bits for how it is known, then the columns of doubles, oldest first. A full window takes 4,200 bytes, and
 * 4,000 more for each further column. Version 1 had neither kinds nor rates: its evaluations are read as reported.
 */
import { RenownError } from './errors.ts';
import { LIMITS } from './limits.ts';
import { type Evaluation, KINDS } from './reputation.ts';
import { isEvaluation, ReputationWindow } from './reputation-window.ts';

const VERSION = 2;
const HEADER_BYTES = 12;
const WITH_AGENT = 1;
const WITH_RATES = 2;

export function toWindowBytes(window: ReputationWindow): Uint8Array {
  const evaluations = [...window.evaluations()];
  const withAgent = evaluations.some(({ agentLatencyMs }) => agentLatencyMs !== undefined);
  const withRates = evaluations.some(({ sampleRate }) => sampleRate !== 1);
  const flags = (withAgent ? WITH_AGENT : 0) | (withRates ? WITH_RATES : 0);
  const layout = layoutOf(VERSION, flags, evaluations.length);
  const bytes = new Uint8Array(layout.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint8(1, flags);
  view.setUint16(2, evaluations.length, true);
  view.setFloat64(4, window.reputation().lifetimeEvaluations, true);
  evaluations.forEach(({ passed, latencyMs, agentLatencyMs, knownAs = 'reported', sampleRate = 1 }, i) => {
    if (passed) orByte(view, HEADER_BYTES + (i >> 3), 1 << (i & 7));
    orByte(view, layout.kinds + (i >> 2), KINDS.indexOf(knownAs) << ((i & 3) * 2));
    view.setFloat64(layout.latencies + i * 8, latencyMs, true);
    if (withAgent) view.setFloat64(layout.agentLatencies + i * 8, agentLatencyMs ?? Number.NaN, true);
    if (withRates) view.setFloat64(layout.rates + i * 8, sampleRate, true);
  });
  return bytes;
}

/** Throws `corrupt_data` for bytes that no window can be made from. */
export function fromWindowBytes(bytes: Uint8Array): ReputationWindow {
  if (bytes.length < HEADER_BYTES) throw corrupt(`it has ${bytes.length} bytes, fewer than its header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [version, flags] = [view.getUint8(0), view.getUint8(1)];
  const flagsMax = version === 1 ? WITH_AGENT : WITH_AGENT | WITH_RATES;
  if (version < 1 || version > VERSION || flags > flagsMax)
    throw corrupt(`its version is ${version}.${flags}, which is not known here`);
  const count = view.getUint16(2, true);
  const lifetime = view.getFloat64(4, true);
  const layout = layoutOf(version, flags, count);
  if (count > LIMITS.windowSize || bytes.length !== layout.length) {
    throw corrupt(`its length of ${bytes.length} bytes does not fit its count of ${count}`);
  }
  if (!Number.isSafeInteger(lifetime) || lifetime < count) throw corrupt('its lifetime count is impossible');
  const evaluations = Array.from({ length: count }, (_, i) => readEvaluation(view, layout, i));
  return ReputationWindow.from(evaluations, lifetime);
}

/** Where each column begins; one that is absent begins where the next one does. */
interface Layout {
  kinds: number;
  latencies: number;
  agentLatencies: number;
  rates: number;
  length: number;
}

function layoutOf(version: number, flags: number, count: number): Layout {
  const kinds = HEADER_BYTES + Math.ceil(count / 8);
  const latencies = kinds + (version === 1 ? 0 : Math.ceil(count / 4));
  const agentLatencies = latencies + count * 8;
  const rates = agentLatencies + (flags & WITH_AGENT ? count * 8 : 0);
  return { kinds, latencies, agentLatencies, rates, length: rates + (flags & WITH_RATES ? count * 8 : 0) };
}

function readEvaluation(view: DataView, layout: Layout, i: number): Evaluation {
  const { kinds, latencies, agentLatencies, rates, length } = layout;
  const passed = ((view.getUint8(HEADER_BYTES + (i >> 3)) >> (i & 7)) & 1) === 1;
  const latencyMs = view.getFloat64(latencies + i * 8, true);
  const agent = agentLatencies < rates ? view.getFloat64(agentLatencies + i * 8, true) : Number.NaN;
  const agentLatencyMs = Number.isNaN(agent) ? undefined : agent;
  const kind = (view.getUint8(kinds + (i >> 2)) >> ((i & 3) * 2)) & 3;
  const knownAs = kinds < latencies ? KINDS[kind] : 'reported';
  const sampleRate = rates < length ? view.getFloat64(rates + i * 8, true) : 1;
  if (knownAs === undefined || !isEvaluation(passed, latencyMs, agentLatencyMs, knownAs, sampleRate))
    throw corrupt(`evaluation ${i} has an impossible latency, kind or sample rate`);
  return { passed, latencyMs, agentLatencyMs, knownAs, sampleRate };
}

function orByte(view: DataView, at: number, bits: number): void {
  view.setUint8(at, view.getUint8(at) | bits);
}

function corrupt(why: string): RenownError {
  return new RenownError(
    'corrupt_data',
    `A stored reputation window cannot be read: ${why}. Rebuild it from its evaluations.`,
  );
}
