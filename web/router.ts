/** Where we are. Paths are those of the address bar below the base of the page, ids percent-encoded as in the API. */
import { computed, signal } from '@preact/signals';

interface Place {
  segments: string[];
  query: URLSearchParams;
}

const base = new URL(document.baseURI).pathname;

export const place = signal<Place>(readPlace());
export const query = computed(() => place.value.query);

/** Goes somewhere below the base; `replace` leaves no trace in the history. */
export function go(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const address = new URL(to, document.baseURI);
  const moved = address.pathname !== location.pathname;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  place.value = readPlace();
  if (moved) scrollTo(0, 0);
}

/** Changes what the query says; empty values leave it. */
export function setQuery(changes: Record<string, string>): void {
  const next = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const search = next.size === 0 ? '' : `?${next}`;
  go(`${location.pathname}${search}`, { replace: true });
}

export function agentPath(agentId: string): string {
  return `agents/${encodeURIComponent(agentId)}`;
}

export function sessionPath(sessionId: string): string {
  return `sessions/${encodeURIComponent(sessionId)}`;
}

function readPlace(): Place {
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : '';
  const segments = path.split('/').filter(Boolean).map(decode);
  return { segments, query: new URLSearchParams(location.search) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Links between our own pages need no new document. */
function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest?.('a[href]');
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(base) || link.dataset.outside === '')
    return;
  event.preventDefault();
  go(link.href);
}

addEventListener('popstate', () => {
  place.value = readPlace();
});
document.addEventListener('click', follow);
