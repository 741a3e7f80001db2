/** What a session did, by the most that any of its tools did: only sessions of one kind are compared. */
export type KindOfWork = 'writing' | 'running' | 'reading' | 'other tools' | 'talking';

/** By parts of tool names, because every agent has its own names for the same. */
const SIGNS: readonly [KindOfWork, RegExp][] = [
  ['writing', /edit|write|patch|replace|create_file|notebook|str_replace/],
  ['running', /bash|shell|exec|terminal|command|powershell/],
  ['reading', /read|grep|glob|search|fetch|view|list|ls|find|web/],
];

export function kindOfWork(tools: Iterable<string>): KindOfWork {
  const names = Array.from(tools, (name) => name.toLowerCase());
  const [kind] = SIGNS.find(([, sign]) => names.some((name) => sign.test(name))) ?? [];
  return kind ?? (names.length > 0 ? 'other tools' : 'talking');
}
