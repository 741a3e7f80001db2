/** Texts as words, for extractors that compare them. Bounded: of a long text the beginning is looked at. */
const TEXT_LENGTH_MAX = 20_000;

export function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, TEXT_LENGTH_MAX)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  );
}

/** Runs of so many words in a row: two texts that share most of them say the same thing. */
export function shinglesOf(words: readonly string[], length = 3): Set<string> {
  const shingles = new Set<string>();
  for (let i = 0; i + length <= words.length; i++) shingles.add(words.slice(i, i + length).join(' '));
  return shingles;
}

/** The share of both that both have, from 0 to 1 (Jaccard). */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const one of a) if (b.has(one)) shared++;
  return shared / (a.size + b.size - shared);
}
