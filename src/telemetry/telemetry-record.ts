/**
 * One log record, span, span event or metric point, however it was encoded. A decoder fills the same record again and
 * again and hands it to its reader, who must not keep it.
 */
import { type Attribute, Attributes, type AttributeValue } from './attributes.ts';

type RecordKind = 'log' | 'span' | 'span_event' | 'metric';

/** How the points of a metric relate: each adds to the last, or each contains the last, or neither. */
type Temporality = 'delta' | 'cumulative' | 'gauge';

export class TelemetryRecord {
  kind: RecordKind = 'log';
  /** Of the event, span or metric; empty where the sender gave none. */
  name = '';
  /** Milliseconds since 1970, with a fraction; 0 where the sender gave none. For a span, its end. */
  at = 0;
  startedAt = 0;
  scope = '';
  traceId = '';
  spanId = '';
  /** Whether a span ended in an error. */
  failed = false;
  value = 0;
  temporality: Temporality = 'gauge';
  /** All its own attributes in short; two records that differ in any differ in this. Good until the reader returns. */
  readonly digest: () => string;
  readonly attributes = new Attributes();
  readonly resource = new Attributes();

  /** A decoder knows how to go over the attributes again. */
  constructor(digest: () => string) {
    this.digest = digest;
  }

  /** Makes room for the next record of the same scope. */
  clear(kind: RecordKind): void {
    this.kind = kind;
    this.name = '';
    this.at = 0;
    this.startedAt = 0;
    this.traceId = '';
    this.spanId = '';
    this.failed = false;
    this.value = 0;
    this.temporality = 'gauge';
    this.attributes.clear();
  }

  /** An attribute of the record itself, or else of its resource. */
  get(place: Attribute): AttributeValue | undefined {
    return this.attributes.get(place) ?? this.resource.get(place);
  }

  /** The attribute as text; undefined when absent or empty. */
  text(place: Attribute): string | undefined {
    const value = this.get(place);
    return value === undefined || value === '' ? undefined : String(value);
  }

  /** The attribute as a number, also when it came as text; undefined when it is none. */
  number(place: Attribute): number | undefined {
    const value = this.get(place);
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    if (typeof value !== 'string' || value.trim() === '') return undefined;
    const number = Number(value);
    return Number.isFinite(number) ? number : undefined;
  }

  /** The attribute as true or false, also when it came as text or a number. */
  boolean(place: Attribute): boolean | undefined {
    const value = this.get(place);
    if (value === true || value === 'true' || value === 1 || value === '1' || value === 'True') return true;
    if (value === false || value === 'false' || value === 0 || value === '0' || value === 'False')
      return false;
    return undefined;
  }
}
