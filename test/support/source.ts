import ts from 'typescript';

/** What a source imports or re-exports, statically or not, types included, in order of appearance. */
export function findImports(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

/** Ways to reach other code that `findImports` cannot follow, and that no layer needs. */
export function findHiddenImports(text: string): string[] {
  return find(text, (node) => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [name] = node.arguments;
      return name && ts.isStringLiteralLike(name) ? undefined : 'import() of a computed name';
    }
    if (isFreeName(node) && /^(require|eval|Function|createRequire)$/.test(node.text)) return node.text;
    return undefined;
  }).concat(/^\s*\/\/\/\s*<reference/m.test(text) ? ['a reference directive'] : []);
}

/** Calls that end the process. Signal 0 ends none: it asks whether a process lives. */
export function findExits(text: string): string[] {
  return find(text, (node) =>
    isMember(node, 'process', /^(exit|abort|kill)$/) && !asksOnly(node.parent) ? node.getText() : undefined,
  );
}

function asksOnly(call: ts.Node): boolean {
  const signal = ts.isCallExpression(call) ? call.arguments[1] : undefined;
  return signal !== undefined && ts.isNumericLiteral(signal) && signal.text === '0';
}

/** Globals that a pure source may name: values and constructors of the language, and an encoder that is a function. */
const PURE_GLOBALS = new Set([
  'undefined',
  'NaN',
  'Infinity',
  'Number',
  'String',
  'Boolean',
  'BigInt',
  'Object',
  'Array',
  'Map',
  'Set',
  'Error',
  'RangeError',
  'JSON',
  'Float64Array',
  'Uint8Array',
  'Int32Array',
  'Uint32Array',
  'DataView',
  'TextEncoder',
]);

/** The clock, randomness, environment or I/O that a source uses: every global but those known to be pure. */
export function findImpurities(text: string): string[] {
  const program = programOf(text);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FILE) as ts.SourceFile;
  return find(source, (node) => {
    if (ts.isMetaProperty(node)) return 'import.meta';
    if (!isFreeName(node) || PURE_GLOBALS.has(node.text)) return undefined;
    if (node.text === 'Math')
      return isMember(node.parent, 'Math', /^(?!random$)/) ? undefined : node.parent.getText();
    if (node.text === 'Date' && isPureDate(node)) return undefined;
    // A name that this file declares or imports is its own; any other comes from outside.
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    const declared = symbol?.declarations?.some((one) => one.getSourceFile() === source);
    return declared ? undefined : node.text;
  });
}

/** A date made from what it is given asks no clock. */
function isPureDate({ parent }: ts.Node): boolean {
  if (ts.isNewExpression(parent)) return (parent.arguments?.length ?? 0) > 0;
  return isMember(parent, 'Date', /^(parse|UTC)$/);
}

const FILE = 'source.ts';

/** One file and nothing else, not even the language's own library, so that every global is a name without a meaning. */
function programOf(text: string): ts.Program {
  const source = ts.createSourceFile(FILE, text, ts.ScriptTarget.Latest, true);
  const host: ts.CompilerHost = {
    getSourceFile: (name) => (name === FILE ? source : undefined),
    getDefaultLibFileName: () => 'none.d.ts',
    writeFile: () => undefined,
    getCurrentDirectory: () => '',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (name) => name === FILE,
    readFile: () => undefined,
  };
  return ts.createProgram([FILE], { noLib: true, noResolve: true }, host);
}

function find(where: string | ts.SourceFile, what: (node: ts.Node) => string | undefined): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    const name = what(node);
    if (name !== undefined) found.push(name);
    ts.forEachChild(node, visit);
  };
  visit(typeof where === 'string' ? ts.createSourceFile(FILE, where, ts.ScriptTarget.Latest, true) : where);
  return found;
}

/** A name that stands for itself: not a member, a key, a declaration or part of an import or export. */
function isFreeName(node: ts.Node): node is ts.Identifier {
  if (!ts.isIdentifier(node)) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name !== node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isImportClause(parent)) return false;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  return !('name' in parent && parent.name === node);
}

function isMember(node: ts.Node, object: string, member: RegExp): boolean {
  return (
    ts.isPropertyAccessExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === object &&
    member.test(node.name.text)
  );
}
