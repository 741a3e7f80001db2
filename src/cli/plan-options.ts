/** What a run covers and how it judges, as options of a command line. */
import { type CommandInput, type CommandOption, usageError } from './command.ts';
import type { OptionNames } from './naming-options.ts';
import { toNumber, toTime } from './option-values.ts';

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

/** The fields of a plan, by the options they come from. */
export const PLAN_NAMES: OptionNames = {
  session_ids: '--sessions',
  'filter.agent_id': '--agent',
  'filter.tags': '--tags',
  'filter.from': '--from',
  'filter.to': '--to',
  'filter.within_hours': '--within-hours',
  'filter.min_traces': '--min-traces',
  metrics: '--metrics',
  signal_weights: '--weights',
  thresholds: '--thresholds',
  'sampling.rate': '--sample',
  'sampling.seed': '--seed',
};

/** The fields of a plan that a command line names; the API knows what may be in them. */
export function planFields({ options }: CommandInput, commandName: string): Record<string, unknown> {
  const number = (name: string) => toNumber(options[name], name, commandName);
  const time = (name: string) => toTime(options[name], name, commandName);
  const [from, to] = [time('from'), time('to')];
  if (from !== undefined && to !== undefined && from >= to)
    throw usageError('--from must be before --to', commandName);
  const filter = {
    ...given('agent_id', options.agent),
    ...given('tags', toList(options.tags)),
    ...given('from', from),
    ...given('to', to),
    ...given('within_hours', number('within-hours')),
    ...given('has_errors', options.errors),
    ...given('min_traces', number('min-traces')),
  };
  const rate = number('sample');
  if (rate === undefined && options.seed !== undefined)
    throw usageError('--seed says which sessions a --sample picks, and there is none', commandName);
  const isChosen = Object.keys(filter).length > 0 || options.all === true;
  if (options.sessions !== undefined && isChosen)
    throw usageError(
      'Give --sessions, or what they have in common (--agent, --tags, --from …), and not both',
      commandName,
    );
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
