/** The small pieces that every page is put together from. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api.ts';
import { useFirstRows } from './first-rows.tsx';

type Children = { children?: ComponentChildren };

/** The heading of a page; it takes the focus after a change of page, so that screen readers say where we are. */
export function PageHead({
  title,
  children,
  above,
}: Children & { title: string; above?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Renown`;
    if (document.activeElement === document.body || document.activeElement?.closest('nav')) return;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <header class="page-head">
      <div>
        {above && <p class="above">{above}</p>}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  );
}

export function Panel({
  title,
  note,
  action,
  children,
  class: name = '',
}: Children & { title: string; note?: ComponentChildren; action?: ComponentChildren; class?: string }) {
  const id = useId();
  return (
    <section class={`panel ${name}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note && <span class="note">{note}</span>}
        {action && <div class="actions">{action}</div>}
      </header>
      {children}
    </section>
  );
}

/** What went wrong, where it went wrong. What passes is asked again by itself. */
export function Problem({ error }: { error: ApiError | null }) {
  if (!error) return null;
  return (
    <p class="problem" role="alert">
      <strong>{error.message}</strong> {error.isPassing && 'Trying again by itself.'}
    </p>
  );
}

export function Skeleton({ rows = 3, height = 20 }: { rows?: number; height?: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="unseen">Loading</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} style={{ height: `${height}px` }} />
      ))}
    </div>
  );
}

export function Empty({ children }: Children) {
  return <div class="empty">{children}</div>;
}

type Tone = 'good' | 'bad' | 'warn' | 'accent' | 'plain';

export function Chip({
  tone = 'plain',
  children,
  title,
}: Children & { tone?: Tone; title?: string | undefined }) {
  return (
    <span class={`chip ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** A command or text to take along. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1_500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      {done ? 'Copied' : label}
    </button>
  );
}

export function Code({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse. */}
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} label={label} />
    </div>
  );
}

/** A dialog of the browser's own: it holds the focus, and Escape closes it. */
export function Dialog({ title, onClose, children }: Children & { title: string; onClose(): void }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is for those who point beside it.
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Every number can be asked why. */
export function Why({ about, children }: Children & { about: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="why"
        aria-label={`Why: ${about}`}
        title="Why?"
        onClick={() => setOpen(true)}
      >
        ?
      </button>
      {open && (
        <Dialog title={about} onClose={() => setOpen(false)}>
          <div class="prose">{children}</div>
        </Dialog>
      )}
    </>
  );
}

/** The values of a chart for those who cannot see it, and for those who want them exactly. */
export function Values({
  caption,
  head,
  rows,
}: {
  caption: string;
  head: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}) {
  const { first, more } = useFirstRows(rows);
  return (
    <details class="values">
      <summary>Values as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse. */}
      <section class="scroll" tabIndex={0} aria-label={caption}>
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first.map((row, i) => (
              <tr key={i}>
                {row.map((value, j) => (
                  <td key={j}>{value}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {more}
      </section>
    </details>
  );
}

/** One of a few, as buttons in a row. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: NoInfer<T>;
  options: readonly { value: T; text: string }[];
  onChange(value: NoInfer<T>): void;
}) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class={option.value === value ? 'on' : ''}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.text}
        </label>
      ))}
    </fieldset>
  );
}
