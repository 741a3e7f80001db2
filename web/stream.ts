/** What happens in the org, as it happens: one connection for the whole page, opened while somebody looks. */
import { signal } from '@preact/signals';
import { addressOf } from './api.ts';
import { refresh } from './query.ts';
import type { Evaluation } from './wire.ts';

export type Connection = 'connecting' | 'live' | 'lost' | 'resting';

interface ScoreChange {
  agent_id: string;
  score: number;
  lifecycle: 'new' | 'calibrating' | 'active' | 'mature';
  eval_count: number;
}

interface Listener {
  evaluation?(evaluation: Evaluation): void;
  score?(change: ScoreChange): void;
}

export const connection = signal<Connection>('connecting');

const RETRY_MS = 2_000;
const listeners = new Set<Listener>();
let source: EventSource | null = null;
let lastId = '';
let timer: ReturnType<typeof setTimeout> | undefined;
let wanted = false;

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startStream(): void {
  wanted = true;
  open();
}

export function stopStream(): void {
  wanted = false;
  lastId = '';
  close('connecting');
}

/** A browser has few connections to one server, and a hidden page needs none. */
document.addEventListener('visibilitychange', () => {
  if (!wanted) return;
  if (document.hidden) close('resting');
  else open();
});

function open(): void {
  close('connecting');
  if (!wanted || document.hidden) return;
  // From the last place on, so that nothing is missed in between.
  const next = new EventSource(addressOf(lastId === '' ? 'v1/stream' : `v1/stream?after=${lastId}`));
  source = next;
  next.addEventListener('ready', (event) => {
    lastId = event.lastEventId;
    const wasAway = connection.value === 'lost';
    connection.value = 'live';
    if (wasAway) void refresh();
  });
  next.addEventListener('evaluation', (event) => {
    lastId = event.lastEventId;
    const evaluation = JSON.parse(event.data) as Evaluation;
    for (const listener of listeners) listener.evaluation?.(evaluation);
  });
  next.addEventListener('score', (event) => {
    const change = JSON.parse(event.data) as ScoreChange;
    for (const listener of listeners) listener.score?.(change);
  });
  next.addEventListener('error', () => {
    if (source !== next) return;
    close('lost');
    timer = setTimeout(open, RETRY_MS);
  });
}

function close(state: Connection): void {
  clearTimeout(timer);
  source?.close();
  source = null;
  // Lost until it is back: the attempts in between are no news.
  if (!(connection.value === 'lost' && state === 'connecting' && wanted)) connection.value = state;
}
