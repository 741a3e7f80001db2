import type { OverviewAgent } from '../wire.ts';

/** By what agents can be sorted. An agent without a number comes after all that have one. */
export const ORDERS = {
  name: (agent: OverviewAgent) => nameOf(agent).toLowerCase(),
  score: (agent: OverviewAgent) => (agent.lifetime_evaluations < 50 ? -1 : agent.score),
  low: (agent: OverviewAgent) => (agent.lifetime_evaluations < 50 ? -1 : agent.score_low),
  rate: (agent: OverviewAgent) => (agent.eval_count === 0 ? -1 : agent.pass_rate),
  count: (agent: OverviewAgent) => agent.lifetime_evaluations,
  seen: (agent: OverviewAgent) => agent.last_seen ?? '',
} as const;

export interface Order {
  by: keyof typeof ORDERS;
  descending: boolean;
}

export function nameOf({ display_name, agent_id }: Pick<OverviewAgent, 'display_name' | 'agent_id'>): string {
  return display_name ?? agent_id;
}

export function selectAgents(
  agents: readonly OverviewAgent[],
  { search, lifecycle, order }: { search: string; lifecycle: string; order: Order },
): OverviewAgent[] {
  const wanted = search.trim().toLowerCase();
  const keyOf = ORDERS[order.by];
  const sign = order.descending ? -1 : 1;
  return agents
    .filter((agent) => lifecycle === '' || agent.lifecycle === lifecycle)
    .filter(
      (agent) =>
        agent.agent_id.toLowerCase().includes(wanted) || nameOf(agent).toLowerCase().includes(wanted),
    )
    .map((agent) => ({ agent, key: keyOf(agent) }))
    .sort((a, b) =>
      a.key < b.key ? -sign : a.key > b.key ? sign : a.agent.agent_id < b.agent.agent_id ? -1 : 1,
    )
    .map(({ agent }) => agent);
}
