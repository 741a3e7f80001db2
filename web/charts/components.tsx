/** The four components of a reputation as one bar that explains itself: what each gave, and what it could give. */
import { percent, signed } from '../format.ts';
import { Values, Why } from '../ui/parts.tsx';
import type { Reputation } from '../wire.ts';

interface Part {
  key: keyof Reputation['components'];
  name: string;
  most: number;
  because: string;
  formula: string;
}

function partsOf(reputation: Reputation): Part[] {
  const { pass_rate, passed, eval_count, avg_latency_ms, streak, window_size } = reputation;
  return [
    {
      key: 'pass_rate',
      name: 'Pass rate',
      most: 400,
      because: `${passed} of ${eval_count} passed`,
      formula: `${percent(pass_rate, 2)} · 400`,
    },
    {
      key: 'latency',
      name: 'Gate latency',
      most: 250,
      because: `${avg_latency_ms.toFixed(2)} ms on average`,
      formula: `max(0, 1 − ${avg_latency_ms.toFixed(3)} / 100) · 250`,
    },
    {
      key: 'streak',
      name: 'Streak',
      most: 200,
      because: `${streak} in a row`,
      formula: `min(${streak}, 50) / 50 · 200`,
    },
    {
      key: 'volume',
      name: 'Volume',
      most: 150,
      because: `${eval_count} of ${window_size}`,
      formula: `min(${eval_count}, 500) / 500 · 150`,
    },
  ];
}

export function ComponentsBar({ reputation }: { reputation: Reputation }) {
  const { components, score } = reputation;
  const parts = partsOf(reputation);
  const sum = parts.reduce((all, { key }) => all + components[key], 0);
  return (
    <div class="components">
      <div
        class="bar"
        role="img"
        aria-label={parts.map(({ key, name }) => `${name} ${components[key].toFixed(1)}`).join(', ')}
      >
        {parts.map(({ key, most }, i) => (
          <span key={key} class="slot" style={{ width: `${most / 10}%` }}>
            <i class={`part-${i + 1}`} style={{ width: `${(100 * components[key]) / most}%` }} />
          </span>
        ))}
      </div>
      <ul>
        {parts.map(({ key, name, most, because }, i) => (
          <li key={key}>
            <span class={`dot part-${i + 1}`} aria-hidden="true" />
            <span class="name">{name}</span>
            <b>{components[key].toFixed(1)}</b>
            <small>of {most}</small>
            <small class="because">{because}</small>
          </li>
        ))}
      </ul>
      <p class="note">
        {parts.map(({ key }) => components[key].toFixed(1)).join(' + ')} = {sum.toFixed(1)}, rounded down to{' '}
        {score}{' '}
        <Why about={`How ${score} came about`}>
          <p>
            The score is made from the last 500 evaluations that count, in the order in which they arrived.
            Each part adds points; the sum is rounded down ({signed(score - sum, 3)} here).
          </p>
          <Values
            caption="The components of the score"
            head={['Part', 'Formula', 'Points']}
            rows={parts.map(({ key, name, formula }) => [name, formula, components[key].toFixed(4)])}
          />
          <p class="formula">{'score = ⌊pass_rate·400 + latency·250\n        + streak·200 + volume·150⌋'}</p>
          <p>
            Latency is that of the gates. How long the agent itself took is shown apart and does not count.
            The docs say more under{' '}
            <a href="docs" target="_blank" rel="noreferrer">
              /docs
            </a>
            .
          </p>
        </Why>
      </p>
    </div>
  );
}
