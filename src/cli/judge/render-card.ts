/** A verdict for people: what came out first, what it is made of below, and what is not known never hidden. */
import type { toVerdictWire } from '../../core/contract/verdict.ts';
import type { Style } from '../io.ts';
import { printable } from '../printable.ts';

export type VerdictWire = ReturnType<typeof toVerdictWire>;

const BAR = 20;
const TOOLS_SHOWN = 6;

export function renderCard(verdict: VerdictWire, style: Style): string {
  const { session, stats, composite, recommendation, affected_dimensions } = verdict;
  const heading = `${printable(session.agent_id || 'unknown agent')} · ${printable(verdict.masque)}`;
  const facts = [
    `${verdict.duration_min} min`,
    counted(stats.total_tools, 'tool'),
    counted(stats.prompts, 'prompt'),
    `$${stats.total_cost}`,
    session.kind_of_work,
  ];
  return [
    '',
    `  ${style.bold(heading)}  ${style.dim(printable(session.session_id))}`,
    `  ${style.dim(facts.join(' · '))}`,
    '',
    `  ${style.bold(`${composite.toFixed(1).padStart(4)}  ${recommendation}`)}`,
    '',
    ...Object.entries(verdict.dimensions).map(([name, value]) =>
      dimensionLine(name, value, affected_dimensions.includes(name)),
    ),
    '',
    ...noteLines(verdict).map(([name, text]) => `  ${style.dim(name.padEnd(9))} ${text}`),
    '',
  ].join('\n');
}

/** A row for each session. */
export function renderTable(verdicts: readonly VerdictWire[]): string {
  const rows = verdicts.map(({ session, stats, ...verdict }) => [
    (session.donned_at ?? '').slice(0, 16).replace('T', ' '),
    printable(session.session_id),
    printable(session.agent_id),
    printable(verdict.masque),
    `${verdict.duration_min}`,
    `${stats.total_tools}`,
    `$${stats.total_cost}`,
    `${verdict.composite.toFixed(1)}${verdict.affected_dimensions.length > 0 ? '*' : ' '}`,
    verdict.recommendation,
  ]);
  const table = [['began', 'session', 'agent', 'masque', 'min', 'tools', 'cost', 'score', ''], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const marked = verdicts.some(({ affected_dimensions }) => affected_dimensions.length > 0);
  return [
    ...lines,
    ...(marked ? ['', '* something that the score is made from was not in the telemetry'] : []),
  ].join('\n');
}

function dimensionLine(name: string, value: number, isAffected: boolean): string {
  const filled = Math.round((value / 10) * BAR);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled);
  return `  ${name.padEnd(17)} ${bar} ${value.toFixed(1).padStart(4)}${isAffected ? ' *' : ''}`;
}

function noteLines({ missing_inputs, signals, tool_mix, baseline, cost }: VerdictWire): [string, string][] {
  const notes: [string, string][] = [];
  if (missing_inputs.length > 0)
    notes.push(['* missing', `${missing_inputs.join(', ')}: not in the telemetry`]);
  const models = cost.prices.map(({ model }) => printable(model)).join(', ');
  if (models) notes.push(['cost', `$${cost.priced_usd} of it by the price table: ${models}`]);
  const tools = Object.entries(tool_mix).map(
    ([name, { calls, ok }]) => `${printable(name) || '?'} ${ok}/${calls}`,
  );
  const more = tools.length > TOOLS_SHOWN ? ` and ${tools.length - TOOLS_SHOWN} more` : '';
  if (tools.length > 0) notes.push(['tools', tools.slice(0, TOOLS_SHOWN).join(' · ') + more]);
  notes.push(['signals', signalText(signals)]);
  notes.push(['baseline', baselineText(baseline)]);
  return notes;
}

function signalText({ recovery, ...signals }: VerdictWire['signals']): string {
  const parts = [
    counted(signals.errors, 'error'),
    signals.retries === 1 ? '1 retry' : `${signals.retries} retries`,
    `${signals.rejected_tools} rejected`,
    counted(signals.compactions, 'compaction'),
    `longest failure run ${signals.longest_failure_run}`,
  ];
  if (recovery)
    parts.push(`recovered ${recovery.times}× after ${recovery.median_calls} (${recovery.median_seconds} s)`);
  if (signals.loops > 0) parts.push(counted(signals.loops, 'loop'));
  if (signals.unrecovered) parts.push('ended on a failure');
  return parts.join(' · ');
}

function baselineText(baseline: VerdictWire['baseline']): string {
  if (typeof baseline === 'string') return baseline;
  const { difference, low, high, sessions, median, kind_of_work } = baseline;
  const signed = (value: number) => `${value > 0 ? '+' : ''}${value}`;
  return `${signed(difference)} (${signed(low)} to ${signed(high)}) against ${median}, the median of ${sessions} earlier sessions of ${kind_of_work}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
