/** A string that was cut out of a document keeps all of the document in memory; a copy does not. Who keeps one must copy it. */
export function copied(text: string): string {
  return Buffer.from(text).toString();
}
