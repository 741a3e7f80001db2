import { LIMITS } from '../../core/limits.ts';
import type { AgentKey, Standing } from './standings.ts';

/** What a node knew last of the agents it has dealt with, the longest unused forgotten first. */
export class LastStandings {
  readonly #standings = new Map<string, Standing>();

  note({ orgId, agentId }: AgentKey, standing: Standing): void {
    const key = `${orgId}\n${agentId}`;
    this.#standings.delete(key);
    this.#standings.set(key, standing);
    if (this.#standings.size <= LIMITS.windowsCachedMax) return;
    const [oldest] = this.#standings.keys();
    if (oldest !== undefined) this.#standings.delete(oldest);
  }

  get({ orgId, agentId }: AgentKey): Standing | undefined {
    return this.#standings.get(`${orgId}\n${agentId}`);
  }

  forget({ orgId, agentId }: AgentKey): void {
    this.#standings.delete(`${orgId}\n${agentId}`);
  }
}
