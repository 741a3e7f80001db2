import ts from 'typescript';

/** What a source imports or re-exports, statically or not, types included, in order of appearance. */
export function findImports(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

/** Names that reach out of a pure function, and members of otherwise harmless names that do. */
const IMPURE_NAMES = new Set([
  'process',
  'console',
  'globalThis',
  'crypto',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
]);
const IMPURE_MEMBERS = new Set(['Date.now', 'Math.random', 'performance.now']);

/** The clock, randomness, environment or I/O that a source uses. */
export function findImpurities(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const member = `${node.expression.text}.${node.name.text}`;
      if (IMPURE_MEMBERS.has(member)) found.push(member);
    }
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'Date') {
      if ((node.arguments ?? []).length === 0) found.push('new Date()');
    }
    if (ts.isIdentifier(node) && IMPURE_NAMES.has(node.text) && isFreeName(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Not the name of a member or of a key in a literal or a type: those only share the spelling. */
function isFreeName(node: ts.Identifier): boolean {
  const { parent } = node;
  const isMember = ts.isPropertyAccessExpression(parent) && parent.name === node;
  const isKey =
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodSignature(parent)) &&
    parent.name === node;
  return !isMember && !isKey;
}
