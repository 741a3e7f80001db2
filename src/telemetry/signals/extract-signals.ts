/** All four extractors over one turn. No model, no network: the same turn gives the same signals, to the digit. */
import type { Signal } from '../../core/signals.ts';
import { coherence } from './coherence.ts';
import { confidence } from './confidence.ts';
import { loopDetection } from './loop-detection.ts';
import { toolCorrectness } from './tool-correctness.ts';
import type { Extractor, Turn } from './turn.ts';

const EXTRACTORS: Readonly<Record<Signal, Extractor>> = {
  confidence,
  loop_detection: loopDetection,
  tool_correctness: toolCorrectness,
  coherence,
};

export interface Extracted {
  signals: { [signal in Signal]?: number };
  /** Which version of each extractor made what, and from how much. */
  source: string;
}

/** A signal that cannot be seen is absent, and never 1. `except` leaves some to somebody else. */
export function extractSignals(turn: Turn, { except = [] }: { except?: readonly Signal[] } = {}): Extracted {
  const signals: Extracted['signals'] = {};
  const made: string[] = [];
  for (const [signal, extractor] of Object.entries(EXTRACTORS) as [Signal, Extractor][]) {
    const measured = except.includes(signal) ? null : extractor.measure(turn);
    if (!measured) continue;
    signals[signal] = measured.value;
    made.push(`${signal}@${extractor.version} of ${measured.from} ${extractor.unit}`);
  }
  return { signals, source: made.length === 0 ? 'extractors saw nothing' : made.join(', ') };
}
