/** Fields that recur in requests and answers: ids, short texts, times and pages, each with its bound. */
import { z } from 'zod';
import { agentIdFault, isUuid } from '../ids.ts';
import { LIMITS } from '../limits.ts';

/** Most ids and names are plain; one look tells, and spares the closer ones. */
const PLAIN = /^[\x20-\x7e]+$/;

export const agentId = z
  .string()
  .superRefine((value, context) => {
    if (value.length <= LIMITS.agentIdCodePointsMax && PLAIN.test(value)) return;
    const fault = agentIdFault(value);
    if (fault !== undefined) context.addIssue(fault);
  })
  .meta({ minLength: 1, maxLength: LIMITS.agentIdCodePointsMax, examples: ['support-bot'] });

/** A text of at least one character. Control characters have no place in a name, and would forge lines of a log. */
export function name(lengthMax: number = LIMITS.nameLengthMax) {
  // One check for all: a batch has ten thousand names in it.
  return z
    .string()
    .superRefine((value, context) => {
      if (value.length > lengthMax) context.addIssue(`must be at most ${lengthMax} characters long`);
      else if (PLAIN.test(value)) return;
      else if (value === '') context.addIssue('must not be empty');
      else if (!value.isWellFormed() || /\p{Cc}/u.test(value)) {
        context.addIssue('must not contain control characters or broken Unicode');
      }
    })
    .meta({ minLength: 1, maxLength: lengthMax });
}

/** Absent, null and undefined mean the same: not known. */
export function optionalName(lengthMax?: number) {
  return name(lengthMax).nullish();
}

export const tags = z
  .array(name(LIMITS.tagLengthMax))
  .max(LIMITS.tagsMax, `must be at most ${LIMITS.tagsMax} tags`);

/** A sentence; line breaks are allowed in it. */
export function sentence(lengthMax: number = LIMITS.reasonLengthMax) {
  return z
    .string()
    .max(lengthMax, `must be at most ${lengthMax} characters long`)
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode');
}

export const uuid = z.string().refine(isUuid, 'must be a UUID').meta({ format: 'uuid' });

const TIME_FAULT = 'must be a time: epoch milliseconds, or ISO 8601 as in 2026-11-15T08:30:00Z';

/** Epoch milliseconds or ISO 8601, taken in as the former. */
export const timeIn = z
  .union([z.number(), z.iso.datetime({ offset: true })], { error: TIME_FAULT })
  .transform((value) => (typeof value === 'number' ? value : Date.parse(value)))
  .refine((value) => Math.abs(value) <= LIMITS.epochMsMax, TIME_FAULT);

/** The same in a query, where everything is text. */
export const queryTime = z
  .string()
  .transform((text) => (/^-?\d{1,16}$/.test(text) ? Number(text) : Date.parse(text)))
  .refine((value) => Math.abs(value) <= LIMITS.epochMsMax, TIME_FAULT)
  .meta({ examples: ['2026-11-15T08:30:00Z'] });

export const timeOut = z.iso.datetime().meta({ examples: ['2026-11-15T08:30:00.000Z'] });

export function toTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function toTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toTime(epochMs);
}

const LIMIT_FAULT = `must be a whole number from 1 to ${LIMITS.pageSizeMax}`;

/** What every list takes. */
export const pageQuery = {
  cursor: z.string().min(1).max(500).optional().meta({ description: 'The `next_cursor` of the page before' }),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, LIMIT_FAULT)
    .transform(Number)
    .refine((value) => value >= 1 && value <= LIMITS.pageSizeMax, LIMIT_FAULT)
    .optional()
    .meta({ description: `From 1 to ${LIMITS.pageSizeMax}; ${LIMITS.pageSizeDefault} unless given` }),
};

/** A page of a list; `next_cursor` is null on the last. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}

export function toPageRequest({
  cursor,
  limit,
}: {
  cursor?: string | undefined;
  limit?: number | undefined;
}) {
  return { cursor: cursor ?? null, limit: limit ?? LIMITS.pageSizeDefault };
}

export function toPageWire<T, W>(page: { items: T[]; nextCursor: string | null }, toWire: (item: T) => W) {
  return { items: page.items.map(toWire), next_cursor: page.nextCursor };
}
