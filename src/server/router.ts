import { RenownError } from '../core/errors.ts';
import type { Route } from './route.ts';

export type Match =
  | { route: Route; params: Record<string, string> }
  /** The path exists, with these methods. */
  | { route: null; methods: string[] };

interface Node {
  names: Map<string, Node>;
  /** A segment that may be anything. */
  wild: Node | null;
  byMethod: Map<string, { route: Route; params: string[] }>;
}

/**
 * Finds routes by the segments of a path, as they were sent: an id may hold a slash when it is percent-encoded, and `..`
 * is a name like any other. Nothing is ever resolved against a file system.
 */
export class Router {
  readonly #root = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  find(method: string, path: string): Match {
    const values: string[] = [];
    let node: Node | null = this.#root;
    for (const segment of path.split('/').slice(1)) {
      const named: Node | undefined = node.names.get(segment);
      if (!named) values.push(segment);
      node = named ?? node.wild;
      if (!node) return { route: null, methods: [] };
    }
    const found = node.byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (!found) return { route: null, methods: [...node.byMethod.keys()] };
    const params: Record<string, string> = {};
    found.params.forEach((name, i) => {
      params[name] = decode(values[i] ?? '');
    });
    return { route: found.route, params };
  }

  #add(route: Route): void {
    const params: string[] = [];
    let node = this.#root;
    for (const segment of route.path.split('/').slice(1)) {
      if (segment.startsWith(':')) {
        params.push(segment.slice(1));
        node.wild ??= emptyNode();
        node = node.wild;
      } else {
        const next = node.names.get(segment) ?? emptyNode();
        node.names.set(segment, next);
        node = next;
      }
    }
    node.byMethod.set(route.method, { route, params });
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new RenownError('invalid_request', 'The path is not percent-encoded UTF-8.', { cause });
  }
}

function emptyNode(): Node {
  return { names: new Map(), wild: null, byMethod: new Map() };
}
