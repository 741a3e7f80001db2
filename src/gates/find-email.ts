/** E-mail addresses, from where their `@` stands. */
import { isWord } from './characters.ts';
import { before } from './word-rules.ts';

/** Names that no mailbox can have (RFC 2606 and 6761), and endings that mean a file or a unit: `logo@2x.png`. */
const NOBODY =
  /(?:^|\.)(?:example\.(?:com|org|net)|noreply\.github\.com)$|\.(?:example|test|invalid|localhost|local|internal|png|jpe?g|gif|svg|webp|ico|js|mjs|cjs|ts|tsx|jsx|json|css|html?|md|tgz|zip|ya?ml|service|socket|timer|slice|scope|mount)$/i;

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?![a-z0-9-]|\.[a-z0-9])/i;

/** The address around this `@`; undefined when there is none that could reach a person. */
export function findEmail(text: string, at: number): string | undefined {
  if (!isLocalEnd(text.charCodeAt(at - 1))) return undefined;
  const domain = DOMAIN.exec(text.slice(at + 1, at + 128))?.[0];
  if (domain === undefined || NOBODY.test(domain)) return undefined;
  const start = startOfLocal(text, at);
  const head = before(text, start, 64);
  // The password of a URL is no mailbox; what stands behind its host is.
  if (/:\/\/[^\s/?#"'<(]*$/.test(head)) return undefined;
  const local = text.slice(start, at);
  const next = text.slice(at + 1 + domain.length, at + 3 + domain.length);
  // An account on a machine, a repository, and the labels of Kotlin: `root@host:/data`, `git@host:path`, `this@Main.context`.
  if (/^:[/~.]/.test(next) || (local === 'git' && /^[:/]/.test(next))) return undefined;
  if (/\b(?:ssh|scp|sftp|rsync)\s.*$/.test(head)) return undefined;
  if (/^(?:this|super|return)$/.test(local) && /^[A-Z]/.test(domain)) return undefined;
  return `${local}@${domain}`;
}

/** Back over at most 64 characters of a local part, and not over dots that would begin it. */
function startOfLocal(text: string, at: number): number {
  let start = at;
  while (
    start > 0 &&
    at - start < 64 &&
    (isLocalEnd(text.charCodeAt(start - 1)) || text.charCodeAt(start - 1) === 46)
  )
    start--;
  while (start < at && text.charCodeAt(start) === 46) start++;
  return start;
}

function isLocalEnd(code: number): boolean {
  // % + -
  return isWord(code) || code === 37 || code === 43 || code === 45;
}
