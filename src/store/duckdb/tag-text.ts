/** Tags as one text, each between line breaks, so that `contains` finds one; no tag holds a line break. */
export function toTagText(tags: readonly string[]): string {
  return tags.length === 0 ? '' : `\n${tags.join('\n')}\n`;
}

export function fromTagText(text: string): string[] {
  return text.split('\n').filter((tag) => tag !== '');
}
