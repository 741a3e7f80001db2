/** E-mail addresses, from where their `@` stands. */
import { before } from './word-rules.ts';

/** Names that no mailbox can have (RFC 2606 and 6761), and endings that mean a file: `logo@2x.png`. */
const NOBODY =
  /(?:^|\.)example\.(?:com|org|net)$|\.(?:example|test|invalid|localhost|local|internal|png|jpe?g|gif|svg|webp|ico|js|mjs|cjs|ts|tsx|jsx|json|css|html?|md|tgz|zip|ya?ml)$/i;

const LOCAL_PART = /[a-z0-9!#$%&'*+/=?^_{|}~-][a-z0-9!#$%&'*+/=?^_{|}~.-]{0,63}$/i;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}(?![a-z0-9-]|\.[a-z0-9])/i;

/** The address around this `@`; undefined when there is none that could reach a person. */
export function findEmail(text: string, at: number): string | undefined {
  if (!isLocalEnd(text.charCodeAt(at - 1))) return undefined;
  const domain = DOMAIN.exec(text.slice(at + 1, at + 128))?.[0];
  if (domain === undefined || NOBODY.test(domain)) return undefined;
  const head = before(text, at, 96);
  // The password of a URL is no mailbox, and `git@host:path` is an address of a repository.
  if (/:\/\/[^\s/@]*$/.test(head)) return undefined;
  const local = LOCAL_PART.exec(head)?.[0];
  if (local === undefined) return undefined;
  if (/(?:^|\W)git$/.test(local) && /^[:/]/.test(text.slice(at + 1 + domain.length))) return undefined;
  return `${local.replace(/^['*{|`/=]+/, '')}@${domain}`;
}

function isLocalEnd(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 43
  );
}
