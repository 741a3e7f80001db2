import { signal } from '@preact/signals';
import { ago, fullTime, utcTime } from '../format.ts';

/** One clock for all relative times on the page. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5_000);

/** How long ago; the viewer's own time and UTC on hover, and for those who hear the page. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${fullTime(at)}\n${utcTime(at)}`}>
      {ago(at, now.value)}
    </time>
  );
}

export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {fullTime(at)}
    </time>
  );
}
