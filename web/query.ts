/**
 * What a page reads. Answers are kept for the next time the same is asked, so that going back shows at once what was there;
 * what fails in passing is asked again by itself, more and more seldom, for as long as somebody looks at it.
 */
import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, ask } from './api.ts';

const FRESH_MS = 3_000;
const RETRY_FIRST_MS = 1_000;
const RETRY_LAST_MS = 15_000;
const KEPT_MAX = 200;

export interface Query<T> {
  data: Signal<T | undefined>;
  error: Signal<ApiError | null>;
}

interface Entry extends Query<unknown> {
  path: string;
  readAt: number;
  watchers: number;
  failures: number;
  reading: Promise<void> | null;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const entries = new Map<string, Entry>();

/** The answer to a GET; null asks nothing. `everyMs` asks again and again. */
export function useQuery<T>(path: string | null, { everyMs = 0 }: { everyMs?: number } = {}): Query<T> {
  const entry = entryOf(path ?? '');
  useEffect(() => {
    if (path === null) return;
    entry.watchers++;
    if (performance.now() - entry.readAt > FRESH_MS) void read(entry);
    const timer = everyMs > 0 ? setInterval(() => !document.hidden && void read(entry), everyMs) : undefined;
    return () => {
      entry.watchers--;
      clearInterval(timer);
      if (entry.watchers === 0) clearTimeout(entry.timer);
    };
  }, [path, entry, everyMs]);
  return entry as unknown as Query<T>;
}

/** Reads anew what is on the screen and begins like this; without an argument, all of it. */
export async function refresh(prefix = ''): Promise<void> {
  const touched = [...entries.values()].filter(({ path }) => path !== '' && path.startsWith(prefix));
  await Promise.all(
    touched.map((entry) => {
      if (entry.watchers > 0) return read(entry);
      entry.readAt = Number.NEGATIVE_INFINITY;
      return undefined;
    }),
  );
}

/** Changes an answer where it is, for news that came another way. */
export function patch<T>(path: string, change: (data: T) => T): void {
  const entry = entries.get(path);
  if (entry?.data.value !== undefined) entry.data.value = change(entry.data.value as T);
}

/** Of another org there must be nothing left. */
export function forgetAll(): void {
  for (const { timer } of entries.values()) clearTimeout(timer);
  entries.clear();
}

function entryOf(path: string): Entry {
  const known = entries.get(path);
  if (known) return known;
  for (const [old, { watchers }] of entries) {
    if (entries.size < KEPT_MAX) break;
    if (watchers === 0) entries.delete(old);
  }
  const entry: Entry = {
    path,
    data: signal(undefined),
    error: signal(null),
    readAt: Number.NEGATIVE_INFINITY,
    watchers: 0,
    failures: 0,
    reading: null,
    timer: undefined,
  };
  entries.set(path, entry);
  return entry;
}

function read(entry: Entry): Promise<void> {
  entry.reading ??= readNow(entry).finally(() => {
    entry.reading = null;
  });
  return entry.reading;
}

async function readNow(entry: Entry): Promise<void> {
  clearTimeout(entry.timer);
  try {
    const data = await ask(entry.path);
    entry.readAt = performance.now();
    entry.failures = 0;
    entry.data.value = data;
    entry.error.value = null;
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : new ApiError(String(thrown), 0);
    entry.error.value = error;
    if (!error.isPassing || entry.watchers === 0) return;
    const pause = Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** entry.failures++);
    entry.timer = setTimeout(() => void read(entry), pause);
  }
}
