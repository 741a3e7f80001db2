/** What a run covers and how it judges, as options of a command line. */
import { type CommandInput, type CommandOption, usageError } from './command.ts';

export const PLAN_OPTIONS: readonly CommandOption[] = [
  { name: 'sessions', type: 'string', summary: 'These sessions, with commas between their ids' },
  { name: 'agent', type: 'string', summary: 'Sessions of this agent' },
  { name: 'tags', type: 'string', summary: 'Sessions that carry all of these, with commas between them' },
  {
    name: 'from',
    type: 'string',
    summary: 'Sessions whose last trace began at or after, as 2026-11-15T00:00:00Z',
  },
  { name: 'to', type: 'string', summary: 'Sessions whose last trace began before' },
  { name: 'within-hours', type: 'string', summary: 'Sessions of the last so many hours' },
  { name: 'errors', type: 'boolean', summary: 'Sessions in which something went wrong' },
  { name: 'min-traces', type: 'string', summary: 'Sessions of at least so many traces' },
  { name: 'metrics', type: 'string', summary: 'agent_reliability, agent_consistency; both when absent' },
  { name: 'weights', type: 'string', summary: 'As confidence=1,coherence=0.5' },
  { name: 'thresholds', type: 'string', summary: 'As agent_reliability=0.7' },
  { name: 'sample', type: 'string', summary: 'A share of the sessions, from 0 to 1' },
  { name: 'seed', type: 'string', summary: 'The same seed picks the same sessions' },
  { name: 'only-if-changed', type: 'boolean', summary: 'Leave sessions alone that have not changed since' },
];

/** The fields of a plan that a command line names; the API knows what may be in them. */
export function planFields({ options }: CommandInput, commandName: string): Record<string, unknown> {
  const number = (name: string) => toNumber(options[name], name, commandName);
  const filter = {
    ...given('agent_id', options.agent),
    ...given('tags', toList(options.tags)),
    ...given('from', options.from),
    ...given('to', options.to),
    ...given('within_hours', number('within-hours')),
    ...given('has_errors', options.errors),
    ...given('min_traces', number('min-traces')),
  };
  const rate = number('sample');
  if (rate === undefined && options.seed !== undefined)
    throw usageError('--seed says which sessions a --sample picks, and there is none', commandName);
  return {
    ...given('session_ids', toList(options.sessions)),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...given('metrics', toList(options.metrics)),
    ...given('signal_weights', toFigures(options.weights, 'weights', commandName)),
    ...given('thresholds', toFigures(options.thresholds, 'thresholds', commandName)),
    ...(rate !== undefined && { sampling: { rate, ...given('seed', number('seed')) } }),
    ...given('only_if_changed', options['only-if-changed']),
  };
}

function given(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}

function toList(value: string | boolean | undefined): string[] | undefined {
  return typeof value === 'string' ? value.split(',').map((part) => part.trim()) : undefined;
}

function toNumber(
  value: string | boolean | undefined,
  name: string,
  commandName: string,
): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value === '' || Number.isNaN(number)) throw usageError(`--${name} must be a number`, commandName);
  return number;
}

function toFigures(value: string | boolean | undefined, name: string, commandName: string) {
  return value === undefined
    ? undefined
    : Object.fromEntries(
        String(value)
          .split(',')
          .map((pair) => {
            const [key = '', figure] = pair.split('=');
            return [key.trim(), toNumber(figure ?? '', name, commandName)];
          }),
      );
}
