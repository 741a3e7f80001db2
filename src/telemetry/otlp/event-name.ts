import type { AttributeValue } from '../attributes.ts';

const NAME_LENGTH_MAX = 100;

/**
 * The name of a log event. Senders put it into the field `eventName`, the attribute `event.name` or the body, with or
 * without the prefix of their product; a prefixed spelling says more, so it wins. A body that is a sentence is no name.
 */
export function toEventName(
  field: string,
  attribute: string | undefined,
  body: AttributeValue | undefined,
): string {
  const named = field || attribute || '';
  if (typeof body !== 'string' || body === named || body.length > NAME_LENGTH_MAX) return named;
  if (named === '') return /^[a-z][\w-]*(\.[\w-]+)*$/i.test(body) ? body : '';
  return body.endsWith(`.${named}`) && !/\s/.test(body) ? body : named;
}
