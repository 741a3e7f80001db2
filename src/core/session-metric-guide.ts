/** What each session metric is, for whoever has to read its scores. */
import { CONSISTENCY_BANDS } from './consistency.ts';
import { RELIABILITY_BANDS } from './reliability.ts';
import type { Bands, SessionMetric } from './session-metric.ts';

interface MetricGuide {
  method: string;
  bands: Bands;
  zeroMeans: string;
  oneMeans: string;
}

export const METRIC_GUIDE: Readonly<Record<SessionMetric, MetricGuide>> = {
  agent_reliability: {
    method: 'max_compose_top_k',
    bands: RELIABILITY_BANDS,
    zeroMeans: 'The worst turns of the session went as wrong as can be.',
    oneMeans: 'Not even the worst turn showed a risk.',
  },
  agent_consistency: {
    method: 'weighted_rms',
    bands: CONSISTENCY_BANDS,
    zeroMeans: 'The agent was unsure throughout, and other signals made it worse.',
    oneMeans: 'The agent was sure of itself in every turn.',
  },
};
