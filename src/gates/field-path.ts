/** The path of a field inside another; names that would be read as several are quoted: `properties["a.b"]`. */
export function fieldPath(path: string, name: string): string {
  if (!/^[^.[\]"\s]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** The names and indexes of a path, as `fieldPath` and brackets for elements made it. */
export function fieldsOfPath(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? JSON.parse(quoted) : name,
  );
}
