/**
 * What usually comes next in a list of attributes. Records of one kind have the same attributes in the same order, and a
 * writer spells them the same way every time; so a decoder that remembers what has followed an attribute can recognise
 * most of them by one comparison. A wrong guess costs that comparison and nothing else.
 */
import { type Attribute, findAttribute } from '../attributes.ts';
import { copied } from '../copied.ts';

export interface Spelling {
  /** All characters of an attribute up to its value. */
  readonly text: string;
  /** Whether its value is a number, which may be spelt as a text. */
  readonly isNumber: boolean;
  /** Undefined for an attribute that nobody reads. */
  readonly place: Attribute | undefined;
  /** What has followed it, the latest first: kinds of records part ways behind what all of them have. */
  readonly next: Spelling[];
}

/** Where spellings differ at the earliest: at the first letter of the name. */
export const NAME_AT = '{"key":"'.length;

const NEXT_MAX = 4;
/** Far more than any agent has; a sender that makes names up does not fill the memory. */
const SPELLINGS_MAX = 2_048;
/** Longer names are read each time, and not remembered. */
const NAME_LENGTH_MAX = 127;

export class Spellings {
  /** Stands before the first attribute of every list. */
  readonly start: Spelling = { text: '', isNumber: false, place: undefined, next: [] };
  readonly #byName = new Map<string, Spelling>();

  /** Notes that an attribute of this name, with a value under that key, came after another. */
  follow(last: Spelling, name: string, valueKey: string): Spelling {
    if (name.length > NAME_LENGTH_MAX || !VALUE_KEYS.has(valueKey)) return last;
    const id = `${valueKey} ${name}`;
    const spelling = this.#byName.get(id) ?? this.#remember(id, name, valueKey);
    if (!last.next.includes(spelling)) {
      last.next.unshift(spelling);
      last.next.length = Math.min(last.next.length, NEXT_MAX);
    }
    return spelling;
  }

  #remember(id: string, name: string, valueKey: string): Spelling {
    if (this.#byName.size >= SPELLINGS_MAX) this.#byName.clear();
    // Bytes as the cursor has them, one character each.
    const text = Buffer.from(`{"key":${JSON.stringify(name)},"value":{"${valueKey}":`).toString('latin1');
    const isNumber = valueKey === 'intValue' || valueKey === 'doubleValue';
    const spelling = { text, isNumber, place: findAttribute(name), next: [] };
    this.#byName.set(copied(id), spelling);
    return spelling;
  }
}

const VALUE_KEYS = new Set(['stringValue', 'boolValue', 'intValue', 'doubleValue']);
