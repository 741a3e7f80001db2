/**
 * What usually comes next in a list of attributes. Records of one kind have the same attributes in the same order, and a
 * writer spells them the same way every time; so a decoder that remembers what followed an attribute the last time can
 * recognise most of them by one comparison. A wrong guess costs that comparison and nothing else.
 */
import { type Attribute, findAttribute } from '../attributes.ts';
import { copied } from '../copied.ts';

export interface Spelling {
  /** All characters of an attribute with a text, up to its value. */
  readonly text: string;
  /** Undefined for an attribute that nobody reads. */
  readonly place: Attribute | undefined;
  /** What followed it the last time. */
  next: Spelling | null;
}

/** Far more than any agent has; a sender that makes names up does not fill the memory. */
const SPELLINGS_MAX = 2_048;
/** Longer names are read each time, and not remembered. */
const NAME_LENGTH_MAX = 127;

export class Spellings {
  /** Stands before the first attribute of every list. */
  readonly start: Spelling = { text: '', place: undefined, next: null };
  readonly #byName = new Map<string, Spelling>();

  /** Notes that an attribute of this name came after another. */
  follow(last: Spelling, name: string): Spelling {
    if (name.length > NAME_LENGTH_MAX) return last;
    const spelling = this.#byName.get(name) ?? this.#remember(name);
    last.next = spelling;
    return spelling;
  }

  #remember(name: string): Spelling {
    if (this.#byName.size >= SPELLINGS_MAX) this.#byName.clear();
    // Bytes as the cursor has them, one character each.
    const text = Buffer.from(`{"key":${JSON.stringify(name)},"value":{"stringValue":`).toString('latin1');
    const spelling = { text, place: findAttribute(name), next: null };
    this.#byName.set(copied(name), spelling);
    return spelling;
  }
}
