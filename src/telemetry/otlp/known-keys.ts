/**
 * Names of attributes as they stand in protobuf, and which one usually follows which: records of one kind have the same
 * attributes in the same order, so that most are recognised by one comparison, and those that nobody reads are passed over
 * without being built. A wrong guess costs that comparison and nothing else. As `spellings.ts` does it for JSON.
 */
import { type Attribute, findAttribute } from '../attributes.ts';

export interface KnownKey {
  /** Field 1 of a KeyValue, with its tag and length. */
  readonly bytes: Uint8Array;
  readonly place: Attribute | undefined;
  /** What followed it the last time. */
  next: KnownKey | null;
}

/** Far more than any agent has; a sender that makes names up does not fill the memory. */
const KEYS_MAX = 2_048;
/** Of one byte in protobuf's own notation. */
const LENGTH_MAX = 127;
const KEY_TAG = 0x0a;

export class KnownKeys {
  readonly #byName = new Map<string, KnownKey>();

  /** Stands before the first attribute of a list of one kind. */
  static start(): KnownKey {
    return { bytes: new Uint8Array(0), place: undefined, next: null };
  }

  /** Notes that an attribute of this name came after another. */
  follow(last: KnownKey, name: string): KnownKey {
    const known = this.#byName.get(name) ?? this.#remember(name);
    if (known) last.next = known;
    return known ?? last;
  }

  #remember(name: string): KnownKey | undefined {
    const text = Buffer.from(name);
    if (text.length > LENGTH_MAX) return undefined;
    if (this.#byName.size >= KEYS_MAX) this.#byName.clear();
    const bytes = Uint8Array.from([KEY_TAG, text.length, ...text]);
    const key = { bytes, place: findAttribute(name), next: null };
    this.#byName.set(text.toString(), key);
    return key;
  }
}
