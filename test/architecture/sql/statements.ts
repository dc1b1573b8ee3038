import path from 'node:path';
import ts from 'typescript';
import { Choices, type Env, type FunctionNode, Interpreter, type Made } from './interpreter.ts';
import { Fragment, lost, Unknown } from './values.ts';

/** Finds every statement that the sources send to the database, with its text in all the forms that it can have. */

export interface Found {
  /** File and line of the call. */
  readonly where: string;
  /** How it is sent: `rows`, `number`, … */
  readonly method: string;
  readonly text: string;
  readonly params: readonly ts.Type[];
  /** What a row of the answer is declared to be; absent: nothing is. */
  readonly row: ts.Type | undefined;
  readonly node: ts.CallExpression;
}

export interface Sources {
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
}

export interface Statements {
  readonly found: readonly Found[];
  /** Calls whose text could not be found out, with the reason. */
  readonly unread: readonly string[];
}

const SENDS = new Set(['rows', 'row', 'number', 'any', 'run', 'atCommit']);
/** More ways through one function are not tried. */
const MOST_RUNS = 150;
const MOST_ROUNDS = 6;

interface Unit {
  readonly node: ts.Node;
  readonly run: () => void;
  readonly once?: true;
}

type NodeSet = Set<ts.Node>;

/** @param root what places are named relative to */
export function findStatements({ checker, files }: Sources, root: string): Statements {
  const ours = new Set(files);
  const roots = new Map<
    ts.CallExpression,
    { readonly known: Map<string, Found>; readonly from: Set<ts.ParameterDeclaration> }
  >();
  const { calls, sends } = indexCalls(checker, files);
  for (const node of sends) roots.set(node, { known: new Map(), from: new Set() });

  const followed: NodeSet = new Set();
  let interesting: NodeSet = new Set(sends);
  let holders = around(interesting);
  let queue: Made[] = [];
  const outside: Made[] = [];
  const whereOf = (node: ts.Node) => {
    const file = node.getSourceFile();
    return `${path.relative(root, file.fileName)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  };

  const note = (node: ts.CallExpression, statement: Fragment, row: ts.Type | undefined, method: string) => {
    const entry = roots.get(node);
    if (!entry) return;
    if (statement.missing) {
      if (statement.missing.from) entry.from.add(statement.missing.from);
      return;
    }
    const { text, params } = statement;
    const key = `${text} ${row ? checker.typeToString(row) : ''} ${params.map((type) => checker.typeToString(type)).join()}`;
    if (!entry.known.has(key))
      entry.known.set(key, { where: whereOf(node), method, text, params, row, node });
  };

  const sync = new Map<ts.Node, boolean>();
  const isSync = (node: FunctionNode) => {
    let is = sync.get(node);
    if (is === undefined) {
      const signature = checker.getSignatureFromDeclaration(node);
      const result = signature && checker.getReturnTypeOfSignature(signature);
      is = !result || !/^(Promise|AsyncGenerator|AsyncIterable)$/.test(result.symbol?.name ?? '');
      sync.set(node, is);
    }
    return is;
  };
  const has = (node: ts.Node): boolean => holders.has(node);

  const interpreter = new Interpreter(checker, (file) => ours.has(file), {
    follows: (node) => isSync(node) || followed.has(node),
    made(made, isOutside) {
      if (has(made.node)) (isOutside ? outside : queue).push(made);
    },
    call: (node, env, within) =>
      takenFor(node, env, within, checker, (statement, row, method) => note(node, statement, row, method)),
  });

  const runOnce = (unit: Unit, choices: Choices) => {
    interpreter.choices = choices;
    queue = [];
    unit.run();
    const seen = new Set<ts.Node>();
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (seen.has(next.node) && seen.size > 200) break;
      if (queue.length > 500) break;
      seen.add(next.node);
      interpreter.callUnknown(next.node, next.env, next.self);
    }
    return choices.met;
  };
  const runAllWays = (unit: Unit) => {
    const without = runOnce(unit, new Choices(1));
    const all = runOnce(unit, new Choices(0));
    let runs = 2;
    for (const [base, met] of [
      [1, without],
      [0, all],
    ] as const)
      for (const [key, ways] of met)
        for (let way = 0; way < ways && runs < MOST_RUNS; way++) {
          if (way === base || (base === 0 && without.has(key))) continue;
          runOnce(unit, new Choices(base, new Map([[key, way]])));
          runs += 1;
        }
  };
  /** What stands outside all functions has one value; the functions that it makes are looked at one by one. */
  const look = (unit: Unit) => {
    if (!unit.once) runAllWays(unit);
    else runOnce(unit, new Choices(1));
    for (let next = outside.shift(); next; next = outside.shift()) {
      const { node, env, self } = next;
      runAllWays({ node, run: () => interpreter.callUnknown(node, env, self) });
    }
  };

  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (const file of files)
      for (const unit of unitsOf(file, interpreter, checker)) if (has(unit.node)) look(unit);
    interesting = new Set();
    for (const { known, from } of roots.values()) {
      if (known.size === 0) for (const { parent } of from) followed.add(parent);
    }
    for (const owner of followed) for (const call of calls.get(owner) ?? []) interesting.add(call);
    if (interesting.size === 0) break;
    for (const [node, { known }] of roots) if (known.size === 0) interesting.add(node);
    holders = around(interesting);
    interpreter.forget();
  }
  const unread = [...roots].flatMap(([node, { known, from }]) => {
    if (known.size > 0) return [];
    const [some] = from;
    const reason = some
      ? `its text depends on ${some.name.getText()}, which nothing here gives`
      : 'nothing calls it';
    return [`${whereOf(node)}: ${reason}`];
  });
  return { found: [...roots.values()].flatMap(({ known }) => [...known.values()]), unread };
}

/** These nodes, and all that they are in. */
function around(nodes: NodeSet): NodeSet {
  const all: NodeSet = new Set();
  for (const node of nodes) for (let at: ts.Node = node; at && !all.has(at); at = at.parent) all.add(at);
  return all;
}

/** What a file consists of, each to be followed on its own. */
function unitsOf(file: ts.SourceFile, interpreter: Interpreter, _checker: ts.TypeChecker): Unit[] {
  return file.statements.flatMap((node): Unit[] => {
    if (ts.isFunctionDeclaration(node) && node.body)
      return [
        { node, run: () => interpreter.callUnknown(node as FunctionNode, interpreter.module, undefined) },
      ];
    if (ts.isVariableStatement(node) || ts.isExpressionStatement(node) || ts.isExportAssignment(node))
      return [{ node, once: true, run: () => interpreter.evaluateModule(node) }];
    if (ts.isClassDeclaration(node)) {
      return node.members.flatMap((member): Unit[] =>
        ts.isMethodDeclaration(member) ||
        ts.isConstructorDeclaration(member) ||
        ts.isPropertyDeclaration(member) ||
        ts.isGetAccessor(member)
          ? [{ node: member, run: () => interpreter.member(node, member) }]
          : [],
      );
    }
    return [];
  });
}

/** All calls of the functions of the sources, and all that send a statement. */
function indexCalls(checker: ts.TypeChecker, files: readonly ts.SourceFile[]) {
  const calls = new Map<ts.Node, ts.CallExpression[]>();
  const sends: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      if (isSend(node, checker)) sends.push(node);
      else {
        const name = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
        const symbol = checker.getSymbolAtLocation(name);
        const real =
          symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        for (const declaration of real?.declarations ?? []) {
          const target =
            ts.isVariableDeclaration(declaration) || ts.isPropertyAssignment(declaration)
              ? declaration.initializer
              : declaration;
          if (target) calls.set(target, [...(calls.get(target) ?? []), node]);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const file of files) visit(file);
  return { calls, sends };
}

const LIST = 'listPage';

function isSend(node: ts.CallExpression, checker: ts.TypeChecker): boolean {
  const callee = node.expression;
  if (ts.isIdentifier(callee)) return callee.text === LIST;
  if (!ts.isPropertyAccessExpression(callee) || !SENDS.has(callee.name.text)) return false;
  if (/platform\/database\/(db|look-ups|list-page)\.ts$/.test(node.getSourceFile().fileName)) return false;
  const [statement] = node.arguments;
  return statement !== undefined && checker.getTypeAtLocation(statement).symbol?.name === 'Sql';
}

/** Calls that stand for something, instead of being followed. */
function takenFor(
  node: ts.CallExpression,
  env: Env,
  within: Interpreter,
  checker: ts.TypeChecker,
  note: (statement: Fragment, row: ts.Type | undefined, method: string) => void,
): { readonly value: unknown } | undefined {
  const callee = node.expression;
  const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
  const value = (at: number) => (node.arguments[at] ? within.evaluate(node.arguments[at], env) : undefined);
  if (name === 'raw') return { value: rawText(value(0)) };
  if (name === 'join' && ts.isIdentifier(callee))
    return { value: joined(value(0), value(1) ?? ',', node, within, env) };
  if (name === 'insertionOf') return { value: insertion(node, value, within, env, checker) };
  if (!isSend(node, checker)) return undefined;
  const sent = name === LIST ? within.callNamed('pageQuery', node, [value(1)], env) : value(0);
  note(sent instanceof Fragment ? sent : Fragment.lost(lost(sent)), rowOf(node, within, env, checker), name);
  return { value: new Unknown(checker.getTypeAtLocation(node), undefined) };
}

const rawText = (text: unknown): Fragment =>
  typeof text === 'string' || typeof text === 'number'
    ? new Fragment([String(text)], [])
    : Fragment.lost(lost(text));

function joined(
  list: unknown,
  separator: unknown,
  node: ts.CallExpression,
  within: Interpreter,
  env: Env,
): Fragment {
  if (!Array.isArray(list)) return Fragment.lost(lost(list));
  const between = String(separator);
  const parts = list.map((one) => within.part(one, node.arguments[0] ?? node, env));
  // What joins nothing is refused when it runs.
  if (parts.length === 0) return Fragment.lost(undefined);
  return Fragment.of(['', ...Array(parts.length - 1).fill(between), ''], parts);
}

/** The insertion of a row, by the type of the row. */
function insertion(
  node: ts.CallExpression,
  value: (at: number) => unknown,
  within: Interpreter,
  env: Env,
  checker: ts.TypeChecker,
): Fragment {
  const [table, returning] = [value(0), value(2)];
  const row = node.arguments[1];
  if (typeof table !== 'string' || !row) return Fragment.lost(lost(table));
  const fields = within
    .concrete(checker.getTypeAtLocation(row), env)
    .getProperties()
    .filter((one) => !(one.flags & ts.SymbolFlags.Optional));
  const names = fields.map((one) => one.name).join(', ');
  const values = fields.map((one) => new Fragment(['', ''], [checker.getTypeOfSymbolAtLocation(one, row)]));
  const end = returning instanceof Fragment ? [new Fragment([' returning '], []), returning] : [];
  const all = Fragment.of(['', ...Array(Math.max(values.length - 1, 0)).fill(', '), ''], values);
  const parts = [all, ...end];
  return Fragment.of([`insert into ${table} (${names}) values (`, ')', ...end.map(() => '')], parts);
}

/** What the caller takes a row for. */
function rowOf(
  node: ts.CallExpression,
  within: Interpreter,
  env: Env,
  checker: ts.TypeChecker,
): ts.Type | undefined {
  const [given] = node.typeArguments ?? [];
  if (given) return within.concrete(checker.getTypeFromTypeNode(given), env);
  const method = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : '';
  // What a function is declared to return says it, too.
  const [promised] = checker.getTypeArguments(checker.getTypeAtLocation(node) as ts.TypeReference);
  if (!promised || (method !== 'rows' && method !== 'row')) return undefined;
  const row =
    method === 'rows'
      ? checker.getIndexTypeOfType(promised, ts.IndexKind.Number)
      : checker.getNonNullableType(promised);
  return row && within.concrete(row, env);
}
