/** The frame of all pages: where one can go, who is signed in, and whether we hear from the server. */
import type { ComponentType } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Agent } from './pages/agent.tsx';
import { Alerts } from './pages/alerts.tsx';
import { Events } from './pages/events.tsx';
import { Overview } from './pages/overview.tsx';
import { Run } from './pages/run.tsx';
import { Runs } from './pages/runs.tsx';
import { Session } from './pages/session.tsx';
import { Sessions } from './pages/sessions.tsx';
import { Settings } from './pages/settings.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { place } from './router.ts';
import { me, signInError, signOut } from './session.ts';
import { type Connection, connection } from './stream.ts';
import { chooseTheme, type Theme, theme } from './theme-choice.ts';
import { Mark } from './ui/mark.tsx';
import { PageHead, Problem } from './ui/parts.tsx';

interface Page {
  path: string;
  name: string;
  list: ComponentType;
  one?: ComponentType<{ id: string }>;
}

const PAGES: readonly Page[] = [
  { path: '', name: 'Overview', list: Overview },
  { path: 'agents', name: '', list: Overview, one: Agent },
  { path: 'events', name: 'Events', list: Events },
  { path: 'sessions', name: 'Sessions', list: Sessions, one: Session },
  { path: 'runs', name: 'Runs', list: Runs, one: Run },
  { path: 'alerts', name: 'Alerts', list: Alerts },
  { path: 'settings', name: 'Settings', list: Settings },
];

export function App() {
  const who = me.value;
  if (who === undefined) {
    return signInError.value ? (
      <main class="sign-in">
        <Problem error={signInError.value} />
      </main>
    ) : null;
  }
  if (!who.signed_in) return <SignIn />;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.querySelector('main')?.focus()}>
        Skip to the content
      </button>
      <Sidebar org={who.org_name} kind={who.kind} />
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}

function Outlet() {
  const { segments } = place.value;
  const [first = '', id, ...more] = segments;
  const page = PAGES.find(({ path }) => path === first) ?? (first === 'sign-in' ? PAGES[0] : undefined);
  if (page && id === undefined) return <page.list />;
  if (page?.one && id !== undefined && more.length === 0) return <page.one key={id} id={id} />;
  return (
    <>
      <PageHead title="Nothing here" />
      <p>
        This page does not exist. <a href="./">Back to the agents</a>.
      </p>
    </>
  );
}

function Sidebar({ org, kind }: { org: string; kind: 'pk' | 'sk' }) {
  const current = place.value.segments[0] ?? '';
  const isHere = (path: string) => path === current || (path === '' && current === 'agents');
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (nav.current) centreCurrent(nav.current);
  }, [current]);
  return (
    <div class="sidebar">
      <a class="brand" href="./">
        <Mark size={22} />
        Renown
      </a>
      <nav ref={nav} aria-label="Pages">
        {PAGES.filter(({ name }) => name !== '').map(({ path, name }) => (
          <a key={path} href={path || './'} aria-current={isHere(path) ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="foot">
        <Heartbeat />
        <ThemeChoice />
        <div class="who">
          <span title={kind === 'sk' ? 'Signed in to administer' : 'Signed in to look'}>
            {org} <small>{kind}</small>
          </span>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
        <a class="docs" href="docs" target="_blank" rel="noreferrer">
          API
        </a>
      </div>
    </div>
  );
}

/** On a narrow screen the pages are a row that scrolls. It is moved by itself, because `scrollIntoView` moves the page too. */
function centreCurrent(nav: HTMLElement): void {
  const link = nav.querySelector('[aria-current]')?.getBoundingClientRect();
  const row = nav.getBoundingClientRect();
  if (link) nav.scrollLeft += link.left + link.width / 2 - row.left - row.width / 2;
}

const STATES: Record<Connection, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost; trying again',
  resting: 'Resting',
};

function Heartbeat() {
  const state = connection.value;
  return (
    <p class={`heartbeat ${state}`} role="status">
      <i aria-hidden="true" />
      {STATES[state]}
    </p>
  );
}

const THEMES: readonly { value: Theme; text: string }[] = [
  { value: 'system', text: 'System' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];

function ThemeChoice() {
  return (
    <label class="theme">
      <span class="unseen">Theme</span>
      <select value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
        {THEMES.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
