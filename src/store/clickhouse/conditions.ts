/** What a list asks for, as the text of a condition and the values it names. */
import type { Parameters } from './connection.ts';

export class Conditions {
  readonly parameters: Parameters = {};
  readonly #all: string[] = [];

  /** Leaves the condition out when one of its values is undefined: the filter did not ask. */
  where(condition: string, values: Parameters): this {
    if (Object.values(values).includes(undefined)) return this;
    this.#all.push(condition);
    Object.assign(this.parameters, values);
    return this;
  }

  get sql(): string {
    return this.#all.length === 0 ? 'true' : this.#all.join(' AND ');
  }
}
