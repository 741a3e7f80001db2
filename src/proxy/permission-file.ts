/** `renown.permissions.yaml`: which tools need which reputation, and what happens below it. */
import { Issues } from '../core/issues.ts';
import type { PermissionOptions, ToolRule } from './permissions.ts';

/** What the file says, checked. */
export type PermissionFile = Pick<PermissionOptions, 'rules' | 'whenAway'> & {
  freshMs: number;
  staleMs: number;
};

const BELOW = ['block', 'warn', 'ask'];
const FIELDS = ['tools', 'when_away', 'cache_s', 'stale_s'];
const RULE_FIELDS = ['min_reputation', 'below'];
const SECONDS = { min: 0, max: 86_400 };

export function parsePermissions(content: unknown): PermissionFile {
  const issues = new Issues();
  const {
    tools,
    when_away: whenAway = 'block',
    cache_s: cacheS = 30,
    stale_s: staleS = 600,
  } = fieldsOf(content, '', issues);
  refuseSurplus(content, { allowed: FIELDS, path: '', issues });
  if (whenAway !== 'block' && whenAway !== 'allow') issues.add('when_away', 'must be block or allow');
  issues.number(cacheS, 'cache_s', SECONDS);
  issues.number(staleS, 'stale_s', SECONDS);
  const rules = Object.entries(fieldsOf(tools, 'tools', issues)).map(([pattern, rule]) =>
    toRule(pattern, rule, issues),
  );
  issues.throwIfAny();
  return {
    rules,
    whenAway: whenAway as PermissionFile['whenAway'],
    freshMs: Number(cacheS) * 1000,
    staleMs: Number(staleS) * 1000,
  };
}

function toRule(pattern: string, rule: unknown, issues: Issues): ToolRule {
  const path = `tools.${pattern}`;
  const { min_reputation: minReputation, below = 'block' } = fieldsOf(rule, path, issues);
  refuseSurplus(rule, { allowed: RULE_FIELDS, path: `${path}.`, issues });
  issues.number(minReputation, `${path}.min_reputation`, { min: 0, max: 1000 });
  if (!BELOW.includes(String(below))) issues.add(`${path}.below`, `must be ${BELOW.join(', ')}`);
  return { pattern, minReputation: Number(minReputation), below: below as ToolRule['below'] };
}

function fieldsOf(value: unknown, path: string, issues: Issues): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  issues.add(path, 'must hold names with what belongs to each');
  return {};
}

function refuseSurplus(
  value: unknown,
  { allowed, path, issues }: { allowed: readonly string[]; path: string; issues: Issues },
): void {
  for (const name of Object.keys((value ?? {}) as object)) {
    if (!allowed.includes(name)) issues.add(`${path}${name}`, 'is no field of this file');
  }
}
