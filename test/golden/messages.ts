import { readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Every sentence with which the server refuses a request, ends a task or does not start. They are found
 *  by following what is handed to an error: constants, what functions return, and the arguments of functions that
 *  pass them on. */

export const ROOT = path.join(import.meta.dirname, '..', '..');
const FOLDERS = ['server/src', 'signing/src'];

/** Their first argument, and that of what extends them, is read by a person. */
const ERRORS = new Set(['ConfigError', 'DomainError', 'HttpError', 'StartError']);
/** So is this argument of these functions. */
const FUNCTIONS: Readonly<Record<string, number>> = { 'Faults.add': 1, firstFaults: 0, worded: 1 };
/** And what is returned by these. */
const RETURNED = new Set(['describe', 'factsOf', 'problemBody', 'resetAt', 'unavailable']);

export interface Message {
  /** The folder below `src`, down to the noun. */
  readonly folder: string;
  readonly text: string;
}

/** All messages, by folder and text, each once. */
export function readMessages(): readonly Message[] {
  return new Reader(FOLDERS.flatMap(sourcesIn)).read();
}

export function sourcesIn(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.gen\.ts$|\.d\.ts$|\/test-|\/testing\//.test(file),
    )
    .map((file) => path.join(ROOT, folder, file))
    .sort();
}

class Reader {
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];
  /** Arguments that become messages, by the function that gets them. */
  readonly #passed = new Map<ts.Node, Set<number>>();
  readonly #followed = new Set<ts.Node>();
  readonly #found = new Map<string, Message>();
  #isDone = false;

  constructor(files: readonly string[]) {
    const options: ts.CompilerOptions = { noLib: true, types: [], allowImportingTsExtensions: true };
    const host = ts.createCompilerHost(options, true);
    // Nothing outside of the sources says anything to a user.
    host.resolveModuleNameLiterals = (names, from) =>
      names.map(({ text }) => ({
        resolvedModule: /^\..*\.ts$/.test(text)
          ? { resolvedFileName: path.resolve(path.dirname(from), text), extension: ts.Extension.Ts }
          : undefined,
      }));
    const program = ts.createProgram(files, options, host);
    this.#checker = program.getTypeChecker();
    this.#files = program.getSourceFiles().filter(({ fileName }) => files.includes(fileName));
  }

  read(): readonly Message[] {
    while (!this.#isDone) {
      this.#isDone = true;
      for (const file of this.#files) this.#look(file);
    }
    return [...this.#found.keys()].sort().flatMap((key) => this.#found.get(key) ?? []);
  }

  #look(node: ts.Node): void {
    if (ts.isNewExpression(node))
      this.#collectArguments(node, this.#ofConstructor(this.#declared(node.expression)));
    if (ts.isCallExpression(node)) this.#collectArguments(node, this.#ofCall(node));
    if (isAssignment(node) && /^\w*[fF]aults[.[]/.test(node.left.getText())) this.#collect(node.right);
    if (isFunction(node) && RETURNED.has(nameOfFunction(node))) this.#follow(node);
    ts.forEachChild(node, (child) => this.#look(child));
  }

  #collectArguments(
    { arguments: given }: ts.NewExpression | ts.CallExpression,
    places: Iterable<number>,
  ): void {
    for (const scope of places) if (given?.[scope]) this.#collect(given[scope]);
  }

  /** Which arguments of a class's constructor are messages. */
  #ofConstructor(declared: ts.Node | undefined): Iterable<number> {
    if (!declared || !ts.isClassDeclaration(declared)) return [];
    const own = declared.members.find(ts.isConstructorDeclaration);
    if (own) return this.#passed.get(own) ?? [];
    return ERRORS.has(declared.name?.text ?? '') ? [0] : this.#ofConstructor(this.#parentOf(declared));
  }

  #parentOf(declared: ts.ClassDeclaration): ts.Node | undefined {
    const [parent] =
      declared.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types ?? [];
    return parent && this.#declared(parent.expression);
  }

  #ofCall({ expression }: ts.CallExpression): Iterable<number> {
    if (expression.kind === ts.SyntaxKind.SuperKeyword) {
      const within = ts.findAncestor(expression, ts.isClassDeclaration);
      if (!within) return [];
      return ERRORS.has(within.name?.text ?? '') ? [0] : this.#ofConstructor(this.#parentOf(within));
    }
    const called = this.#declared(expression);
    if (!called) return [];
    const known = FUNCTIONS[nameOfFunction(called)];
    return known === undefined ? (this.#passed.get(called) ?? []) : [known];
  }

  /** What a name stands for: a class, a function, or a value's declaration. */
  #declared(expression: ts.Expression): ts.Node | undefined {
    const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
    const symbol = this.#checker.getSymbolAtLocation(name);
    const isAlias = symbol && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const declared = (isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol)?.declarations?.[0];
    const value = declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
    return value && isFunction(value) ? value : declared;
  }

  /** The sentences of an expression: of both branches of a condition, and of what makes one for each of a list. */
  #collect(node: ts.Node): void {
    const text = textOf(node);
    if (text !== undefined) this.#add(node, text);
    if (ts.isTemplateExpression(node))
      for (const { expression } of node.templateSpans) this.#followText(expression);
    else if (isFunction(node)) this.#follow(node);
    else if (ts.isCallExpression(node)) this.#collectCall(node);
    else if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) this.#followName(node);
    else if (ts.isElementAccessExpression(node)) this.#collect(node.expression);
    else if (text === undefined) ts.forEachChild(node, (child) => this.#collect(child));
  }

  /** What a function of ours returns; of others nothing is known but what they are given. */
  #collectCall(node: ts.CallExpression): void {
    if (this.#declared(node.expression)) this.#followName(node.expression);
    else ts.forEachChild(node, (child) => this.#collect(child));
  }

  /** Of what stands in a sentence only parts of sentences are of interest. */
  #followText(expression: ts.Expression): void {
    const declared = ts.isIdentifier(expression) ? this.#declared(expression) : undefined;
    if (declared && ts.isParameter(declared)) this.#pass(declared);
    const value = declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
    if (
      value &&
      (ts.isStringLiteral(value) || ts.isTemplateExpression(value) || ts.isConditionalExpression(value))
    )
      this.#collect(value);
  }

  #followName(name: ts.Expression): void {
    const declared = this.#declared(name);
    if (declared) this.#follow(declared);
  }

  #follow(declared: ts.Node): void {
    if (ts.isParameter(declared)) this.#pass(declared);
    if (ts.isParameter(declared) || this.#followed.has(declared)) return;
    this.#followed.add(declared);
    if (isFunction(declared)) {
      if (ts.isArrowFunction(declared) && !ts.isBlock(declared.body)) this.#collect(declared.body);
      else if (declared.body) this.#collectReturned(declared.body);
    } else if (
      (ts.isVariableDeclaration(declared) ||
        ts.isPropertyAssignment(declared) ||
        ts.isPropertyDeclaration(declared)) &&
      declared.initializer &&
      // What schemas say is for the document.
      !/^Type\./.test(declared.initializer.getText())
    )
      this.#collect(declared.initializer);
  }

  #collectReturned(node: ts.Node): void {
    if (ts.isReturnStatement(node) && node.expression) this.#collect(node.expression);
    else if (!isFunction(node)) ts.forEachChild(node, (child) => this.#collectReturned(child));
  }

  /** What is handed to this parameter is a message. */
  #pass(parameter: ts.ParameterDeclaration): void {
    const places = this.#passed.get(parameter.parent) ?? new Set();
    const scope = parameter.parent.parameters.indexOf(parameter);
    this.#passed.set(parameter.parent, places);
    if (places.has(scope)) return;
    places.add(scope);
    this.#isDone = false;
  }

  #add(node: ts.Node, text: string): void {
    const said = text.replace(/\s+/g, ' ').trim();
    if (!said.includes(' ')) return;
    const [top = '', , ...within] = path
      .relative(ROOT, node.getSourceFile().fileName)
      .split('/')
      .slice(0, -1);
    const folder = within.slice(0, 2).join('/') || (top === 'server' ? '.' : top);
    this.#found.set(`${folder}\n${said}`, { folder, text: said });
  }
}

const isAssignment = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;

type FunctionLike = ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration | ts.MethodDeclaration;

function isFunction(node: ts.Node): node is FunctionLike {
  return (
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node)
  );
}

function nameOfFunction(node: ts.Node): string {
  if (ts.isMethodDeclaration(node) && ts.isClassDeclaration(node.parent))
    return `${node.parent.name?.text}.${node.name.getText()}`;
  return (ts.isFunctionDeclaration(node) && node.name?.text) || '';
}

/** The text of a literal, with what it is made of in braces. */
export function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(
      ({ expression, literal }) => `{${nameOf(expression)}}${literal.text}`,
    );
    return [node.head.text, ...parts].join('');
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '…';
}
