/** A name that somebody made up may hold anything; on a terminal it must not move the cursor or forge a line. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
