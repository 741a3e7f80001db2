import { ComponentsBar } from '../../charts/components.tsx';
import { count, percent } from '../../format.ts';
import { Panel, Why } from '../../ui/parts.tsx';
import { Band, isShown } from '../../ui/score.tsx';
import type { Reputation } from '../../wire.ts';

/** Where each stage of a life ends. */
const STAGES = [
  { name: 'calibrating', until: 50 },
  { name: 'active', until: 500 },
] as const;

export function ScorePanel({ reputation }: { reputation: Reputation }) {
  const { score, assurance, lifetime_evaluations } = reputation;
  const shown = isShown(reputation);
  return (
    <Panel title="Reputation" class="score-panel">
      <div class="headline">
        <p class={`big ${shown ? '' : 'calibrating'}`}>
          {shown ? score : `${lifetime_evaluations}/50`}
          {shown && <small>of 1000</small>}
        </p>
        {shown && (
          <div class="assurance">
            <p>
              <b>
                {assurance.score_low}–{assurance.score_high}
              </b>{' '}
              <span class="note">95 % band</span> <BandWhy reputation={reputation} />
            </p>
            <Band low={assurance.score_low} high={assurance.score_high} at={score} />
          </div>
        )}
        {!shown && (
          <p class="note">The number shows from 50 evaluations on; before, it would say too little.</p>
        )}
      </div>
      <ComponentsBar reputation={reputation} />
      <Evidence evidence={reputation.evidence} />
      <Life lifetime={lifetime_evaluations} />
    </Panel>
  );
}

function BandWhy({ reputation: { assurance, pass_rate, eval_count } }: { reputation: Reputation }) {
  const { pass_rate_low, pass_rate_high, score_low, score_high, n_eff, certainty, method } = assurance;
  const always = method.endsWith('anytime');
  return (
    <Why about={`Why ${score_low}–${score_high}`}>
      <p>
        {percent(pass_rate)} of {eval_count} evaluations passed. What passed so far is a sample: the true rate
        lies between {percent(pass_rate_low)} and {percent(pass_rate_high)} with 95 % confidence, and the band
        is the score at both ends of that, with the other components as they are.
      </p>
      <p>
        {always
          ? 'It holds for all looks together, however often the page is opened, up to the 500th evaluation.'
          : 'The window slides by now, so it holds for each look by itself.'}
      </p>
      <dl class="pairs">
        <dt>Evaluations it is worth</dt>
        <dd>{n_eff.toFixed(1)}</dd>
        <dt>Certainty</dt>
        <dd>{percent(certainty)}</dd>
        <dt>Method</dt>
        <dd>
          <code>{method}</code>
        </dd>
      </dl>
    </Why>
  );
}

const KINDS = { server: 'judged here', signed: 'signed reports', reported: 'reports' } as const;

function Evidence({ evidence }: Pick<Reputation, 'evidence'>) {
  return (
    <p class="evidence note">
      <b>Known by</b>
      {(['server', 'signed', 'reported'] as const).map((kind) => (
        <span key={kind}>
          {count(evidence[kind])} {KINDS[kind]}
        </span>
      ))}
      <Why about="How these evaluations are known">
        <p>
          <b>Judged here</b>: the gates of this server ran over the output. <b>Signed reports</b>: the gates
          ran elsewhere, and a signature of the org vouches for the batch. <b>Reports</b>: somebody with a key
          said so.
        </p>
        <p>An org can say in its settings which of them count.</p>
      </Why>
    </p>
  );
}

function Life({ lifetime }: { lifetime: number }) {
  const stage = STAGES.find(({ until }) => lifetime < until);
  return (
    <div class="life">
      <p class="note">
        <b>{count(lifetime)}</b> evaluations ever
        {stage && `, ${stage.until - lifetime} until ${stage.until === 50 ? 'active' : 'mature'}`}
      </p>
      {stage && (
        <progress max={stage.until} value={lifetime} aria-label="Evaluations until the next stage of life" />
      )}
    </div>
  );
}
