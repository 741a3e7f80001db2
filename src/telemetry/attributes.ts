/**
 * Attributes of a record, as far as somebody reads them. A dialect says at the top of its file which ones it wants;
 * a decoder looks each name up and skips everything else, so that what nobody asked for is never built.
 */
export type AttributeValue = string | number | boolean;

/** A name that is read; stands for its place in `Attributes`. */
export type Attribute = number & { readonly attribute: unique symbol };

const places = new Map<string, Attribute>();

/** Declares that an attribute is read. The same name gives the same answer. */
export function attribute(name: string): Attribute {
  const known = places.get(name);
  if (known !== undefined) return known;
  const place = places.size as Attribute;
  places.set(name, place);
  return place;
}

/** For decoders: the attribute of that name, or undefined if nobody reads it. */
export function findAttribute(name: string): Attribute | undefined {
  return places.get(name);
}

/** The attributes of one record or resource. Made once and filled again for each, because there are millions. */
export class Attributes {
  readonly #values: (AttributeValue | undefined)[] = [];
  readonly #present: Attribute[] = [];

  /** The first value of a name stays, as in most readers of OTLP. */
  set(place: Attribute, value: AttributeValue): void {
    if (this.#values[place] !== undefined) return;
    this.#values[place] = value;
    this.#present.push(place);
  }

  get(place: Attribute): AttributeValue | undefined {
    return this.#values[place];
  }

  /** What is there now, to be kept. */
  copy(): (readonly [Attribute, AttributeValue])[] {
    return this.#present.map((place) => [place, this.#values[place] as AttributeValue]);
  }

  clear(): void {
    for (const place of this.#present) this.#values[place] = undefined;
    this.#present.length = 0;
  }
}
