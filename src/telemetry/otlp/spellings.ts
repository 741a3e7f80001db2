/**
 * What usually comes next in a list of attributes. Records of one kind have the same attributes in the same order, and a
 * writer spells them the same way every time; so a decoder that remembers what followed an attribute the last time can
 * recognise most of them by one comparison. A wrong guess costs that comparison and nothing else.
 */
import { type Attribute, findAttribute } from '../attributes.ts';

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

export class Spellings {
  /** Stands before the first attribute of every list. */
  readonly start: Spelling = { text: '', place: undefined, next: null };
  readonly #byName = new Map<string, Spelling>();

  /** Notes that an attribute of this name came after another. */
  follow(last: Spelling, name: string): Spelling {
    let spelling = this.#byName.get(name);
    if (!spelling) {
      if (this.#byName.size >= SPELLINGS_MAX) this.#byName.clear();
      const text = `{"key":${JSON.stringify(name)},"value":{"stringValue":`;
      // A copy: the name is a view of the document it stands in.
      spelling = { text: Buffer.from(text).toString('latin1'), place: findAttribute(name), next: null };
      this.#byName.set(Buffer.from(name).toString(), spelling);
    }
    last.next = spelling;
    return spelling;
  }
}
