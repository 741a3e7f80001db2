/** How the session went by its telemetry: five dimensions, beside the agent's own earlier sessions, and what was not told. */
import { ToolStrip } from '../../charts/tool-strip.tsx';
import { count, percent, signed } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Chip, Panel, Problem, Why } from '../../ui/parts.tsx';
import type { SessionVerdicts, ToolResults } from '../../wire.ts';

type Verdict = SessionVerdicts['verdicts'][number];

const DIMENSIONS = [
  ['quality', 'Quality', 'how many tool calls went well'],
  ['autonomy', 'Autonomy', 'how much it did between two prompts'],
  ['productivity', 'Productivity', 'how much it did in a minute'],
  ['token_efficiency', 'Token efficiency', 'how much came from the cache'],
  ['cost_efficiency', 'Cost efficiency', 'what a successful call cost'],
] as const;

const TONES = { keep: 'good', review: 'warn', doff: 'bad' } as const;

export function Performance({ verdict }: { verdict: Verdict }) {
  const { composite, recommendation, dimensions, affected_dimensions, missing_inputs, masque } = verdict;
  return (
    <Panel title="Performance" note={masque === 'none' ? 'by its telemetry' : `as ${masque}`}>
      <div class="headline">
        <p class="big">
          {composite.toFixed(1)} <small class="note">of 10</small>
        </p>
        <p>
          <Chip tone={TONES[recommendation]}>{recommendation}</Chip>{' '}
          <span class="note">{verdict.duration_min} minutes</span>
        </p>
      </div>
      <ul class="dimensions">
        {DIMENSIONS.map(([key, name, asks]) => (
          <li key={key}>
            <span title={asks}>
              {name}{' '}
              {affected_dimensions.includes(key) && (
                <span class="note" title="Something it is made from was not told">
                  *
                </span>
              )}
            </span>
            <meter min={0} max={10} low={4} high={7} optimum={10} value={dimensions[key]} aria-label={name} />
            <b class="number">{dimensions[key].toFixed(1)}</b>
          </li>
        ))}
      </ul>
      <Baseline baseline={verdict.baseline} />
      {missing_inputs.length > 0 && (
        <p class="note">
          * Not told by its telemetry: {missing_inputs.map((name) => name.replaceAll('_', ' ')).join(', ')}.{' '}
          <Why about="What was not told">
            <p>
              A number that telemetry does not carry is taken as the formula always took it, and the
              dimensions that it touches are marked: they may be too kind or too strict.
            </p>
          </Why>
        </p>
      )}
    </Panel>
  );
}

function Baseline({ baseline }: { baseline: Verdict['baseline'] }) {
  if (typeof baseline === 'string') return <p class="note">Beside its earlier sessions: {baseline}.</p>;
  const { difference, low, high, median, sessions, kind_of_work: work } = baseline;
  const tone = low > 0 ? 'good' : high < 0 ? 'bad' : '';
  return (
    <p>
      <b class={`number ${tone}`}>{signed(difference, 2)}</b> against a median of {median.toFixed(1)}{' '}
      <span class="note">
        in {sessions} earlier sessions of {work} work; 95 % interval {signed(low, 2)} to {signed(high, 2)}
      </span>
    </p>
  );
}

export function Work({ verdict, id }: { verdict: Verdict; id: string }) {
  const tools = useQuery<ToolResults>(`v1/sessions/${encodeURIComponent(id)}/tools`);
  const { stats, signals, tool_mix: mix } = verdict;
  const noted = Object.entries(signals).filter(([, value]) => typeof value === 'number' && value > 0);
  return (
    <Panel title="Tool calls" note="in order">
      <Problem error={tools.error.value} />
      {tools.data.value && tools.data.value.items.length > 0 && <ToolStrip items={tools.data.value.items} />}
      <dl class="pairs coverage">
        <dt>Went well</dt>
        <dd>
          {count(stats.tools_ok ?? 0)} of {count(stats.total_tools ?? 0)}
        </dd>
        <dt>By tool</dt>
        <dd>
          {Object.entries(mix)
            .slice(0, 8)
            .map(([name, { calls, ok }]) => `${name} ${calls} (${percent(ok / Math.max(1, calls), 0)})`)
            .join(' · ') || 'none'}
        </dd>
        <dt>Prompts</dt>
        <dd>{count(stats.prompts ?? 0)}</dd>
        <dt>Tokens</dt>
        <dd>
          {count(stats.total_tokens ?? 0)}, {count(stats.cache_tokens ?? 0)} from the cache
        </dd>
        <dt>Cost</dt>
        <dd>${(stats.total_cost ?? 0).toFixed(4)}</dd>
        <dt>Noticed</dt>
        <dd>
          {noted.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(' · ') ||
            'nothing unusual'}
        </dd>
      </dl>
    </Panel>
  );
}
