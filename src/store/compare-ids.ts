/** The order of ids in lists: by code points, as the engines have it. JavaScript's own order is by code units. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
