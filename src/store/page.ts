/** One page of a list, newest first. The cursor is opaque; null when there is nothing after this page. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export interface PageRequest {
  cursor?: string | null;
  limit: number;
}
