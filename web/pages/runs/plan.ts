import type { Run } from '../../wire.ts';

/** What a run covers, in a few words. */
export function describePlan({
  session_ids,
  filter,
  metrics,
  sampling,
  only_if_changed,
}: Run['plan']): string {
  const parts: string[] = [];
  if (session_ids)
    parts.push(session_ids.length === 1 ? `session ${session_ids[0]}` : `${session_ids.length} sessions`);
  else if (!filter || Object.keys(filter).length === 0) parts.push('all sessions');
  else parts.push(...Object.entries(filter).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`));
  if (metrics.length === 1) parts.push(metrics[0] === 'agent_reliability' ? 'reliability' : 'consistency');
  if (sampling) parts.push(`${100 * sampling.rate} % sampled`);
  if (only_if_changed) parts.push('only what changed');
  return parts.join(', ');
}
