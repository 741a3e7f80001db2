import type { AttributeValue } from '../attributes.ts';

const NAME_LENGTH_MAX = 100;

/**
 * The name of a log event. Senders put it into the attribute `event.name`, the field `eventName` or the body, with or
 * without the prefix of their product. The attribute comes first, because some loggers put a place in their source into
 * the field. A prefixed spelling says more, so it wins; a body that is a sentence is no name.
 */
export function toEventName(
  field: string,
  attribute: string | undefined,
  body: AttributeValue | undefined,
): string {
  const named = attribute || field;
  if (typeof body !== 'string' || body === named || body.length > NAME_LENGTH_MAX) return named;
  if (named === '') return /^[a-z][\w-]*(\.[\w-]+)*$/i.test(body) ? body : '';
  const dot = body.length - named.length - 1;
  return dot > 0 && body[dot] === '.' && body.endsWith(named) && !body.includes(' ') ? body : named;
}
