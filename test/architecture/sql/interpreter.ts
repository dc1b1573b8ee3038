import ts from 'typescript';
import { Fragment, isUnknown, lost, Unknown } from './values.ts';

/** Follows the sources as far as it takes to know which text each statement has. What comes from outside (arguments,
 *  answers of the database, the clock) is unknown: conditions on it are decided by `Choices`, so that several runs see
 *  all branches. Nothing of the project is really called. */

/** How conditions on what is unknown go, in one run. */
export class Choices {
  /** Those that were met, by the condition's place and text. */
  readonly met = new Map<string, number>();
  readonly #flipped: ReadonlyMap<string, number>;
  readonly #usual: number;

  constructor(usual: number, flipped: ReadonlyMap<string, number> = new Map()) {
    this.#usual = usual;
    this.#flipped = flipped;
  }

  choose(key: string, ways: number): number {
    const chosen = this.#flipped.get(key) ?? Math.min(this.#usual, ways - 1);
    this.met.set(key, ways);
    return chosen;
  }
}

/** Variables of a function that is followed, and the types that its type parameters stand for. */
export class Env {
  readonly vars = new Map<ts.Symbol, unknown>();
  readonly types = new Map<ts.Symbol, ts.Type>();
  readonly parent: Env | undefined;

  constructor(parent?: Env) {
    this.parent = parent;
  }

  owner(symbol: ts.Symbol): Env | undefined {
    return this.vars.has(symbol) ? this : this.parent?.owner(symbol);
  }

  typeOf(symbol: ts.Symbol): ts.Type | undefined {
    return this.types.get(symbol) ?? this.parent?.typeOf(symbol);
  }
}

class Returned {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
class Thrown extends Error {}
class Jump {}

export type FunctionNode = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

/** A function of the sources as a value: it can be called, also by `map` and the like. */
interface Closure {
  (...args: unknown[]): unknown;
  node?: FunctionNode;
  env?: Env;
}

/** A function with the variables around it. */
export interface Made {
  readonly node: FunctionNode;
  readonly env: Env;
  readonly self: unknown;
}

export interface Hooks {
  /** What a call is to be taken for; `undefined`: whatever it is. */
  call(node: ts.CallExpression, env: Env, interpreter: Interpreter): { readonly value: unknown } | undefined;
  /** Whether a function's body is followed when it is called. */
  follows(node: FunctionNode): boolean;
  /** A function was made that something else may call.
   *  @param isOutside by what stands outside all functions */
  made(made: Made, isOutside: boolean): void;
}

const MOST_DEPTH = 25;
const SQL_WORDS = /\b(select|case when|coalesce|exists|from|where) |\w+\.\w+ |[a-z]\(/;
const KNOWN_GLOBALS: Readonly<Record<string, unknown>> = {
  Object,
  JSON,
  Number,
  Math,
  Array,
  String,
  Boolean,
  undefined,
  Infinity,
};

export class Interpreter {
  readonly #checker: ts.TypeChecker;
  readonly #isOurs: (file: ts.SourceFile) => boolean;
  readonly #hooks: Hooks;
  readonly #modules = new Set<ts.Node>();
  /** How deep in what stands outside all functions. */
  #outside = 0;
  readonly module = new Env();
  choices = new Choices(0);
  #depth = 0;
  readonly #active: ts.Node[] = [];
  readonly #symbols = new Map<ts.Node, ts.Symbol | null>();
  readonly #conditions = new Map<ts.Node, string>();
  readonly #keys = new Map<ts.Node, string>();

  constructor(checker: ts.TypeChecker, isOurs: (file: ts.SourceFile) => boolean, hooks: Hooks) {
    this.#checker = checker;
    this.#isOurs = isOurs;
    this.#hooks = hooks;
  }

  /** Calls a function with arguments that nobody knows. */
  callUnknown(node: FunctionNode, env: Env, self: unknown): void {
    try {
      this.#invoke(node, env, [], self);
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
    }
  }

  /** Evaluates what stands outside all functions. */
  evaluateModule(statement: ts.VariableStatement | ts.ExpressionStatement | ts.ExportAssignment): void {
    try {
      if (!ts.isVariableStatement(statement)) this.evaluate(statement.expression, this.module);
      else for (const one of statement.declarationList.declarations) this.#moduleValue(one);
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
    }
  }

  /** Forgets what module-level variables are, for another look with more functions that are followed. */
  forget(): void {
    this.#modules.clear();
    this.module.vars.clear();
  }

  /** A member of a class, on an object of which nobody knows the fields. */
  member(owner: ts.ClassDeclaration, member: ts.ClassElement): void {
    try {
      const self = this.instance(owner, []);
      const env = new Env(this.module);
      SELF.set(env, self);
      if (ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member) || ts.isGetAccessor(member)) {
        if (member.body) this.callUnknown(member as unknown as FunctionNode, env, self);
      }
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
    }
  }

  /** Calls a function that the file of a node imports by this name, or that the imported file has. */
  callNamed(name: string, at: ts.CallExpression, args: readonly unknown[], _env: Env): unknown {
    const callee = this.#symbolOf(at.expression)?.declarations?.[0]?.getSourceFile();
    const found = callee?.statements.find((one) => ts.isFunctionDeclaration(one) && one.name?.text === name);
    return found ? this.#invoke(found as FunctionNode, this.module, args, undefined) : this.#unknown(at);
  }

  /** The type that a node's type stands for where it is followed. */
  concrete(type: ts.Type, env: Env): ts.Type {
    const symbol = type.flags & ts.TypeFlags.TypeParameter ? type.symbol : undefined;
    return (symbol && env.typeOf(symbol)) ?? type;
  }

  evaluate(node: ts.Expression, env: Env): unknown {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''));
    if (ts.isTemplateExpression(node)) return this.#template(node, env);
    if (ts.isTaggedTemplateExpression(node)) return this.#tagged(node, env);
    if (ts.isIdentifier(node)) return this.#identifier(node, env);
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node)
    )
      return this.evaluate(node.expression, env);
    if (ts.isAwaitExpression(node)) {
      const value = this.evaluate(node.expression, env);
      return isUnknown(value) ? this.#unknown(node, value) : value;
    }
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
      return this.#closure(node as FunctionNode, env, undefined);
    if (ts.isArrayLiteralExpression(node)) return this.#elements(node.elements, env);
    if (ts.isObjectLiteralExpression(node)) return this.#object(node, env);
    if (ts.isConditionalExpression(node))
      return this.evaluate(this.#truth(node.condition, env) ? node.whenTrue : node.whenFalse, env);
    if (ts.isBinaryExpression(node)) return this.#binary(node, env);
    if (ts.isPrefixUnaryExpression(node)) return this.#prefix(node, env);
    if (ts.isPropertyAccessExpression(node))
      return this.#property(this.evaluate(node.expression, env), node.name.text, node, env);
    if (ts.isElementAccessExpression(node)) {
      const key = this.#known(this.evaluate(node.argumentExpression, env), node.argumentExpression);
      const whole = this.evaluate(node.expression, env);
      return isUnknown(key) ? this.#unknown(node, key, whole) : this.#property(whole, String(key), node, env);
    }
    if (ts.isCallExpression(node)) return this.#call(node, env);
    if (ts.isNewExpression(node)) return this.#new(node, env);
    switch (node.kind) {
      case ts.SyntaxKind.TrueKeyword:
        return true;
      case ts.SyntaxKind.FalseKeyword:
        return false;
      case ts.SyntaxKind.NullKeyword:
        return null;
      case ts.SyntaxKind.RegularExpressionLiteral: {
        const [, body = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.getText()) ?? [];
        return new RegExp(body, flags);
      }
      case ts.SyntaxKind.ThisKeyword:
        return this.#this(env) ?? this.#unknown(node);
    }
    if (ts.isClassExpression(node)) return this.#unknown(node);
    ts.forEachChild(node, (child) => {
      if (ts.isExpression(child)) this.evaluate(child, env);
    });
    return this.#unknown(node);
  }

  #this(env: Env | undefined): unknown {
    for (let at = env; at; at = at.parent) if (SELF.has(at)) return SELF.get(at);
    return undefined;
  }

  #unknown(node: ts.Node, ...from: unknown[]): Unknown {
    return new Unknown(this.#checker.getTypeAtLocation(node), lost(...from));
  }

  /** One of its literals, where it can only be one of some. */
  #known(value: unknown, node: ts.Node): unknown {
    if (!isUnknown(value) || !value.type) return value;
    const all = (value.type.isUnion() ? value.type.types : [value.type]).filter(
      (one) => !(one.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)),
    );
    if (all.length === 0 || all.length > 40 || !all.every((one) => one.isStringLiteral())) return value;
    const chosen = this.choices.choose(`literal ${value.origin ?? this.#key(node)}`, all.length);
    return (all[chosen] as ts.StringLiteralType).value;
  }

  #key(node: ts.Node): string {
    const known = this.#keys.get(node);
    if (known !== undefined) return known;
    const key = `${node.getSourceFile().fileName}:${node.getStart()}`;
    this.#keys.set(node, key);
    return key;
  }

  /** The same condition goes the same way wherever a function asks it. */
  #conditionKey(node: ts.Node): string {
    let key = this.#conditions.get(node);
    if (key !== undefined) return key;
    let owner: ts.Node | undefined = node;
    while (owner && !ts.isFunctionLike(owner)) owner = owner.parent;
    key = `${owner ? this.#key(owner) : ''} ${node.getText()}`;
    this.#conditions.set(node, key);
    return key;
  }

  #truth(node: ts.Expression, env: Env): boolean {
    return this.#isTrue(this.evaluate(node, env), node);
  }

  #isTrue(value: unknown, node: ts.Node): boolean {
    return isUnknown(value)
      ? this.choices.choose(value.origin ?? this.#conditionKey(node), 2) === 0
      : Boolean(value);
  }

  #template(node: ts.TemplateExpression, env: Env): unknown {
    let text = node.head.text;
    let missing: unknown;
    for (const span of node.templateSpans) {
      const value = this.#known(this.evaluate(span.expression, env), span.expression);
      if (isUnknown(value) || (typeof value === 'object' && value !== null)) missing ??= value;
      text += `${isUnknown(value) ? '' : String(value)}${span.literal.text}`;
    }
    return missing === undefined ? text : new Unknown(undefined, lost(missing));
  }

  #tagged(node: ts.TaggedTemplateExpression, env: Env): unknown {
    if (node.tag.getText() !== 'sql') return this.#unknown(node);
    const { template } = node;
    if (ts.isNoSubstitutionTemplateLiteral(template)) return new Fragment([template.text], []);
    const values = template.templateSpans.map(({ expression }) =>
      this.part(this.evaluate(expression, env), expression, env),
    );
    return Fragment.of(
      [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)],
      values,
    );
  }

  /** What stands within a statement: a fragment of it, or a parameter. */
  part(value: unknown, node: ts.Node, env: Env): Fragment {
    if (value instanceof Fragment) return value;
    // A text of SQL that is no `Sql` would be sent as a value: PostgreSQL is to refuse it here already.
    if (typeof value === 'string' && SQL_WORDS.test(value)) return new Fragment([`<a value: ${value}>`], []);
    const type = this.concrete(
      isUnknown(value) && value.type ? value.type : this.#checker.getTypeAtLocation(node),
      env,
    );
    if (isUnknown(value) && /\bSql\b/.test(this.#checker.typeToString(type)))
      return Fragment.lost(lost(value));
    return new Fragment(['', ''], [type]);
  }

  #identifier(node: ts.Identifier, env: Env): unknown {
    const symbol = this.#symbolOf(node);
    return symbol ? this.#valueOf(symbol, node, env) : this.#unknown(node);
  }

  #symbolOf(node: ts.Node): ts.Symbol | undefined {
    const known = this.#symbols.get(node);
    if (known !== undefined) return known ?? undefined;
    const found = this.#findSymbol(node);
    this.#symbols.set(node, found ?? null);
    return found;
  }

  #findSymbol(node: ts.Node): ts.Symbol | undefined {
    const symbol = this.#checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #valueOf(symbol: ts.Symbol, node: ts.Node, env: Env): unknown {
    const owner = env.owner(symbol);
    if (owner) return owner.vars.get(symbol);
    const declaration = symbol.declarations?.[0];
    if (!declaration || !this.#isOurs(declaration.getSourceFile())) {
      if (symbol.name === 'empty') return new Fragment([''], []);
      return symbol.name in KNOWN_GLOBALS ? KNOWN_GLOBALS[symbol.name] : this.#unknown(node);
    }
    if (ts.isFunctionDeclaration(declaration)) {
      const body = symbol.declarations?.find((one) => ts.isFunctionDeclaration(one) && one.body);
      return body ? this.#closure(body as FunctionNode, this.module, undefined) : this.#unknown(node);
    }
    let at: ts.Node = declaration;
    while (ts.isBindingElement(at) || ts.isObjectBindingPattern(at) || ts.isArrayBindingPattern(at))
      at = at.parent;
    if (ts.isVariableDeclaration(at) && at.parent.parent.parent.kind === ts.SyntaxKind.SourceFile) {
      this.#moduleValue(at);
      if (this.module.vars.has(symbol)) return this.module.vars.get(symbol);
    }
    if (ts.isClassDeclaration(declaration)) return declaration;
    return this.#unknown(node);
  }

  #moduleValue(declaration: ts.VariableDeclaration): void {
    if (this.#modules.has(declaration)) return;
    this.#modules.add(declaration);
    this.#outside += 1;
    const value = declaration.initializer ? this.evaluate(declaration.initializer, this.module) : undefined;
    this.#outside -= 1;
    this.#bind(declaration.name, value, this.module);
  }

  #bind(name: ts.BindingName, value: unknown, env: Env): void {
    if (ts.isIdentifier(name)) {
      const symbol = this.#checker.getSymbolAtLocation(name);
      if (symbol) env.vars.set(symbol, value);
      return;
    }
    name.elements.forEach((element, index) => {
      if (ts.isOmittedExpression(element)) return;
      let part: unknown;
      if (element.dotDotDotToken) {
        if (Array.isArray(value)) part = value.slice(index);
        else part = this.#rest(value, name as ts.ObjectBindingPattern, element);
      } else if (ts.isArrayBindingPattern(name)) {
        part = Array.isArray(value) ? value[index] : this.#unknownPart(element, value);
      } else {
        const key = element.propertyName ?? element.name;
        const text = ts.isComputedPropertyName(key) ? undefined : key.getText().replace(/^['"]|['"]$/g, '');
        part =
          text !== undefined && isPlain(value)
            ? (value as Record<string, unknown>)[text]
            : this.#unknownPart(element, value);
      }
      if (part === undefined && element.initializer) part = this.evaluate(element.initializer, env);
      this.#bind(element.name, part, env);
    });
  }

  #rest(value: unknown, pattern: ts.ObjectBindingPattern, element: ts.BindingElement): unknown {
    if (!isPlain(value)) return this.#unknownPart(element, value);
    const taken = new Set(pattern.elements.map((one) => (one.propertyName ?? one.name).getText()));
    return Object.fromEntries(Object.entries(value as object).filter(([name]) => !taken.has(name)));
  }

  #unknownPart(element: ts.BindingElement, value: unknown): Unknown {
    const symbol = ts.isIdentifier(element.name)
      ? this.#checker.getSymbolAtLocation(element.name)
      : undefined;
    const type = symbol
      ? this.#checker.getTypeOfSymbolAtLocation(symbol, element)
      : this.#checker.getTypeAtLocation(element);
    const name = (element.propertyName ?? element.name).getText();
    return new Unknown(
      type,
      lost(value),
      isUnknown(value) && value.origin ? `${value.origin}.${name}` : this.#key(element),
    );
  }

  #closure(node: FunctionNode, env: Env, self: unknown): Closure {
    const call: Closure = (...args) =>
      this.#hooks.follows(node) ? this.#invoke(node, env, args, self) : this.#result(node);
    call.node = node;
    call.env = env;
    if (!ts.isFunctionDeclaration(node)) this.#hooks.made({ node, env, self }, this.#outside > 0);
    return call;
  }

  #result(node: FunctionNode): Unknown {
    const signature = this.#checker.getSignatureFromDeclaration(node);
    return new Unknown(signature && this.#checker.getReturnTypeOfSignature(signature), undefined);
  }

  #invoke(
    node: FunctionNode,
    parent: Env,
    args: readonly unknown[],
    self: unknown,
    types?: ReadonlyMap<ts.Symbol, ts.Type>,
  ): unknown {
    if (this.#depth > MOST_DEPTH || this.#active.filter((one) => one === node).length > 1)
      return this.#result(node);
    const env = new Env(parent);
    if (self !== undefined) SELF.set(env, self);
    for (const [symbol, type] of types ?? []) env.types.set(symbol, type);
    node.parameters.forEach((parameter, index) => {
      let value = parameter.dotDotDotToken ? args.slice(index) : args[index];
      if (args.length <= index && parameter.initializer && args.length > 0) value = undefined;
      else if (
        args.length <= index &&
        !(args.length > 0 && (parameter.questionToken || parameter.initializer))
      )
        value = new Unknown(this.#checker.getTypeAtLocation(parameter), parameter, this.#key(parameter));
      if (value === undefined && parameter.initializer) value = this.evaluate(parameter.initializer, env);
      this.#bind(parameter.name, value, env);
    });
    this.#depth += 1;
    this.#active.push(node);
    try {
      if (!ts.isBlock(node.body)) return this.evaluate(node.body, env);
      const done = this.#statements(node.body.statements, env);
      return done instanceof Returned ? done.value : undefined;
    } finally {
      this.#depth -= 1;
      this.#active.pop();
    }
  }

  #statements(statements: readonly ts.Statement[], env: Env): unknown {
    for (const one of statements) {
      if (!ts.isFunctionDeclaration(one) || !one.body || !one.name) continue;
      const symbol = this.#checker.getSymbolAtLocation(one.name);
      if (symbol) env.vars.set(symbol, this.#closure(one as FunctionNode, env, undefined));
    }
    for (const one of statements) {
      const done = this.#statement(one, env);
      if (done !== undefined) return done;
    }
    return undefined;
  }

  #statement(node: ts.Statement, env: Env): unknown {
    if (ts.isReturnStatement(node))
      return new Returned(node.expression && this.evaluate(node.expression, env));
    if (ts.isThrowStatement(node)) throw new Thrown();
    if (ts.isBreakStatement(node) || ts.isContinueStatement(node)) return new Jump();
    if (ts.isVariableStatement(node)) {
      this.#declare(node.declarationList, env);
    } else if (ts.isExpressionStatement(node)) {
      this.evaluate(node.expression, env);
    } else if (ts.isBlock(node)) {
      return this.#statements(node.statements, new Env(env));
    } else if (ts.isIfStatement(node)) {
      const value = this.evaluate(node.expression, env);
      const refuses = isUnknown(value) && !node.elseStatement && endsInThrow(node.thenStatement);
      const branch =
        !refuses && this.#isTrue(value, node.expression) ? node.thenStatement : node.elseStatement;
      return branch && this.#statement(branch, new Env(env));
    } else if (ts.isForOfStatement(node)) {
      return this.#forOf(node, env);
    } else if (
      ts.isForStatement(node) ||
      ts.isForInStatement(node) ||
      ts.isWhileStatement(node) ||
      ts.isDoStatement(node)
    ) {
      return this.#loop(node, env);
    } else if (ts.isTryStatement(node)) {
      const done = this.#try(node, env);
      return (node.finallyBlock && this.#statement(node.finallyBlock, env)) ?? done;
    } else if (ts.isSwitchStatement(node)) {
      return this.#switch(node, env);
    } else if (ts.isLabeledStatement(node)) {
      return this.#statement(node.statement, env);
    }
    return undefined;
  }

  #declare(list: ts.VariableDeclarationList, env: Env): void {
    for (const { name, initializer } of list.declarations)
      this.#bind(name, initializer && this.evaluate(initializer, env), env);
  }

  #try(node: ts.TryStatement, env: Env): unknown {
    try {
      return this.#statement(node.tryBlock, env);
    } catch (error) {
      if (!(error instanceof Thrown) || !node.catchClause) throw error;
      return this.#statement(node.catchClause.block, env);
    }
  }

  #forOf(node: ts.ForOfStatement, env: Env): unknown {
    const all = this.evaluate(node.expression, env);
    const known = Array.isArray(all) || all instanceof Set || all instanceof Map ? [...all] : undefined;
    for (const one of known ?? [undefined]) {
      const inner = new Env(env);
      if (ts.isVariableDeclarationList(node.initializer)) {
        const [declaration] = node.initializer.declarations;
        if (declaration)
          this.#bind(
            declaration.name,
            known ? one : new Unknown(this.#checker.getTypeAtLocation(declaration.name), lost(all)),
            inner,
          );
      }
      const done = this.#statement(node.statement, inner);
      if (done instanceof Returned) {
        // Whether a loop over what nobody knows ends within is a choice.
        if (known || this.choices.choose(`loop ${this.#key(node)}`, 2) === 1) return done;
      }
    }
    return undefined;
  }

  #loop(node: ts.ForStatement | ts.ForInStatement | ts.WhileStatement | ts.DoStatement, env: Env): unknown {
    const inner = new Env(env);
    if (ts.isForStatement(node)) {
      if (node.initializer && ts.isVariableDeclarationList(node.initializer))
        this.#declare(node.initializer, inner);
      for (const { symbol } of declarationsIn(node.initializer, this.#checker))
        inner.vars.set(symbol, new Unknown(undefined, undefined));
      if (node.condition) this.evaluate(node.condition, inner);
    } else if (!ts.isForInStatement(node)) this.evaluate(node.expression, inner);
    const done = this.#statement(node.statement, inner);
    return done instanceof Returned ? done : undefined;
  }

  #switch(node: ts.SwitchStatement, env: Env): unknown {
    const value = this.#known(this.evaluate(node.expression, env), node.expression);
    const { clauses } = node.caseBlock;
    const at = isUnknown(value)
      ? this.choices.choose(this.#conditionKey(node.expression), clauses.length)
      : clauses.findIndex((one) => ts.isDefaultClause(one) || this.evaluate(one.expression, env) === value);
    for (const clause of at < 0 ? [] : clauses.slice(at)) {
      const done = this.#statements(clause.statements, new Env(env));
      if (done !== undefined) return done instanceof Jump ? undefined : done;
    }
    return undefined;
  }

  #elements(nodes: readonly ts.Expression[], env: Env): unknown[] {
    return nodes.flatMap((one) => {
      if (!ts.isSpreadElement(one)) return [this.evaluate(one, env)];
      const value = this.evaluate(one.expression, env);
      if (Array.isArray(value)) return value;
      if (value instanceof Set || value instanceof Map) return [...value];
      return [new Unknown(this.#elementType(one.expression), lost(value))];
    });
  }

  #elementType(node: ts.Expression): ts.Type | undefined {
    const type = this.#checker.getTypeAtLocation(node);
    return this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number);
  }

  #object(node: ts.ObjectLiteralExpression, env: Env): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const one of node.properties) {
      if (ts.isSpreadAssignment(one)) {
        const value = this.evaluate(one.expression, env);
        if (isPlain(value)) Object.assign(made, value);
        else this.#spreadUnknown(made, one.expression, value);
      } else if (ts.isShorthandPropertyAssignment(one)) {
        const symbol = this.#checker.getShorthandAssignmentValueSymbol(one);
        const real =
          symbol && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
        made[one.name.text] = real ? this.#valueOf(real, one.name, env) : this.#unknown(one.name);
      } else {
        const name = this.#nameOf(one.name, env);
        if (name === undefined) continue;
        if (ts.isPropertyAssignment(one)) made[name] = this.evaluate(one.initializer, env);
        else if (ts.isMethodDeclaration(one)) made[name] = this.#closure(one as FunctionNode, env, made);
        else made[name] = this.#unknown(one);
      }
    }
    return made;
  }

  /** Fields that an object has, of which nobody knows the values. */
  #spreadUnknown(made: Record<string, unknown>, node: ts.Expression, value: unknown): void {
    for (const property of this.#checker.getTypeAtLocation(node).getProperties())
      made[property.name] = new Unknown(
        this.#checker.getTypeOfSymbolAtLocation(property, node),
        lost(value),
        `${this.#key(node)} ${property.name}`,
      );
  }

  #nameOf(name: ts.PropertyName, env: Env): string | undefined {
    if (!ts.isComputedPropertyName(name)) return name.text;
    const value = this.#known(this.evaluate(name.expression, env), name);
    return isUnknown(value) ? undefined : String(value);
  }

  #prefix(node: ts.PrefixUnaryExpression, env: Env): unknown {
    const value = this.evaluate(node.operand, env);
    if (isUnknown(value)) return this.#unknown(node, value);
    switch (node.operator) {
      case ts.SyntaxKind.ExclamationToken:
        return !value;
      case ts.SyntaxKind.MinusToken:
        return -Number(value);
      default:
        return this.#unknown(node);
    }
  }

  #binary(node: ts.BinaryExpression, env: Env): unknown {
    const kind = node.operatorToken.kind;
    if (kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment)
      return this.#assign(node, env);
    const left = this.evaluate(node.left, env);
    switch (kind) {
      case ts.SyntaxKind.AmpersandAmpersandToken:
        return this.#isTrue(left, node.left)
          ? this.evaluate(node.right, env)
          : isUnknown(left)
            ? false
            : left;
      case ts.SyntaxKind.BarBarToken:
        return this.#isTrue(left, node.left)
          ? isUnknown(left)
            ? left
            : left
          : this.evaluate(node.right, env);
      case ts.SyntaxKind.QuestionQuestionToken:
        if (isUnknown(left))
          return this.choices.choose(this.#conditionKey(node), 2) === 0
            ? left
            : this.evaluate(node.right, env);
        return left ?? this.evaluate(node.right, env);
      case ts.SyntaxKind.CommaToken:
        return this.evaluate(node.right, env);
    }
    const right = this.evaluate(node.right, env);
    if (kind === ts.SyntaxKind.InKeyword && isPlain(right) && !isUnknown(left))
      return String(left) in (right as object);
    return isUnknown(left) || isUnknown(right)
      ? this.#unknown(node, left, right)
      : operate(kind, left, right, () => this.#unknown(node));
  }

  #assign(node: ts.BinaryExpression, env: Env): unknown {
    const value =
      node.operatorToken.kind === ts.SyntaxKind.EqualsToken
        ? this.evaluate(node.right, env)
        : this.#combined(node, env);
    const { left } = node;
    if (ts.isIdentifier(left)) {
      const symbol = this.#symbolOf(left);
      if (symbol) env.owner(symbol)?.vars.set(symbol, value);
    } else if (ts.isPropertyAccessExpression(left) || ts.isElementAccessExpression(left)) {
      const whole = this.evaluate(left.expression, env);
      const key = ts.isPropertyAccessExpression(left)
        ? left.name.text
        : this.evaluate(left.argumentExpression, env);
      if (isPlain(whole) && !isUnknown(key)) (whole as Record<string, unknown>)[String(key)] = value;
    }
    return value;
  }

  #combined(node: ts.BinaryExpression, env: Env): unknown {
    const left = this.evaluate(node.left, env);
    const right = this.evaluate(node.right, env);
    switch (node.operatorToken.kind) {
      case ts.SyntaxKind.PlusEqualsToken:
        return isUnknown(left) || isUnknown(right) ? this.#unknown(node, left, right) : `${left}${right}`;
      case ts.SyntaxKind.QuestionQuestionEqualsToken:
        return left ?? right;
      default:
        return this.#unknown(node, left, right);
    }
  }

  #property(whole: unknown, name: string, node: ts.Node, env: Env): unknown {
    if (whole === undefined || whole === null) return undefined;
    if (isUnknown(whole))
      return new Unknown(
        this.#memberType(whole, name, node, env),
        lost(whole),
        whole.origin && `${whole.origin}.${name}`,
      );
    if (isPlain(whole)) return (whole as Record<string, unknown>)[name];
    const value = (whole as unknown as Record<string, unknown>)[name];
    return typeof value === 'function' ? value.bind(whole) : value;
  }

  #memberType(whole: Unknown, name: string, node: ts.Node, env: Env): ts.Type {
    const at = this.#checker.getTypeAtLocation(node);
    const property = whole.type && this.#checker.getPropertyOfType(this.concrete(whole.type, env), name);
    return property && !(at.flags & ts.TypeFlags.Union)
      ? this.#checker.getTypeOfSymbolAtLocation(property, node)
      : at;
  }

  #call(node: ts.CallExpression, env: Env): unknown {
    const taken = this.#hooks.call(node, env, this);
    if (taken) return taken.value;
    const callee = node.expression;
    if (ts.isPropertyAccessExpression(callee)) {
      const whole = this.#known(this.evaluate(callee.expression, env), callee.expression);
      if (whole === undefined || whole === null) return undefined;
      if (!isUnknown(whole)) return this.#method(node, whole, callee.name.text, env);
      return this.#methodOfUnknown(node, whole, callee.name.text, env);
    }
    const target = this.evaluate(callee, env);
    const args = this.#elements(node.arguments, env);
    return typeof target === 'function'
      ? this.#apply(node, target as Closure, args, env)
      : this.#unknown(node);
  }

  /** What nobody knows is taken for a list of one element where it is mapped. */
  #methodOfUnknown(node: ts.CallExpression, whole: Unknown, name: string, env: Env): unknown {
    const [first] = this.#elements(node.arguments, env);
    if ((name !== 'map' && name !== 'flatMap') || typeof first !== 'function')
      return this.#unknown(node, whole);
    const callee = node.expression as ts.PropertyAccessExpression;
    return [first(new Unknown(this.#elementType(callee.expression), lost(whole)))].flat();
  }

  #apply(node: ts.CallExpression, target: Closure, args: unknown[], env: Env): unknown {
    if (!target.node || !target.env) return this.#native(node, () => target(...args), args);
    if (!this.#hooks.follows(target.node)) return this.#unknown(node);
    // Nothing was given: nobody may take it for a function that is looked at on its own.
    const given = args.length === 0 && target.node.parameters.length > 0 ? [undefined] : args;
    return this.#invoke(target.node, target.env, given, undefined, this.#typesOf(node, target.node, env));
  }

  #typesOf(call: ts.CallExpression, node: FunctionNode, env: Env): Map<ts.Symbol, ts.Type> {
    const types = new Map<ts.Symbol, ts.Type>();
    const given = call.typeArguments ?? [];
    node.typeParameters?.forEach((parameter, index) => {
      const symbol = this.#checker.getSymbolAtLocation(parameter.name);
      const argument = given[index];
      if (symbol && argument)
        types.set(symbol, this.concrete(this.#checker.getTypeFromTypeNode(argument), env));
    });
    return types;
  }

  #method(node: ts.CallExpression, whole: unknown, name: string, env: Env): unknown {
    if (isPlain(whole)) {
      const target = (whole as Record<string, unknown>)[name];
      const args = this.#elements(node.arguments, env);
      return typeof target === 'function'
        ? this.#apply(node, target as Closure, args, env)
        : this.#unknown(node);
    }
    const args = this.#elements(node.arguments, env);
    if (whole instanceof Fragment || ts.isClassLike(whole as ts.Node)) return this.#unknown(node);
    const method = (whole as Record<string, unknown>)[name];
    if (typeof method !== 'function') return this.#unknown(node);
    const mixed = name === 'join' && Array.isArray(whole) && whole.some((one) => isUnknown(one));
    if (mixed) return this.#unknown(node, ...(whole as unknown[]));
    return this.#native(node, () => method.apply(whole, args), args);
  }

  /** A function of JavaScript itself. */
  #native(node: ts.CallExpression, call: () => unknown, args: readonly unknown[]): unknown {
    if (args.some((one) => isUnknown(one)) && !/\.(push|set|add|concat)\(/.test(node.getText()))
      return this.#unknown(node, ...args);
    try {
      return call();
    } catch (error) {
      if (error instanceof Thrown) throw error;
      if (error instanceof RangeError) throw error;
      return this.#unknown(node);
    }
  }

  #new(node: ts.NewExpression, env: Env): unknown {
    const args = this.#elements(node.arguments ?? [], env);
    const name = node.expression.getText();
    if ((name === 'Map' || name === 'Set') && !args.some((one) => isUnknown(one)))
      return name === 'Map' ? new Map(args[0] as [unknown, unknown][]) : new Set(args[0] as unknown[]);
    const symbol = this.#symbolOf(node.expression);
    const declaration = symbol?.declarations?.find((one) => ts.isClassDeclaration(one));
    if (!declaration || !this.#isOurs(declaration.getSourceFile())) return this.#unknown(node);
    return this.instance(declaration, args);
  }

  /** An object of a class of the sources. */
  instance(node: ts.ClassDeclaration, args: readonly unknown[]): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    const env = new Env(this.module);
    SELF.set(env, made);
    for (const member of node.members) {
      if (ts.isMethodDeclaration(member) && member.body)
        made[member.name.getText()] = this.#closure(member as FunctionNode, env, made);
      else if (ts.isPropertyDeclaration(member))
        made[member.name.getText()] =
          member.initializer && !isEmpty(member.initializer)
            ? this.evaluate(member.initializer, env)
            : new Unknown(this.#checker.getTypeAtLocation(member), undefined);
    }
    const maker = node.members.find((member) => ts.isConstructorDeclaration(member) && member.body);
    if (maker && args.length > 0) {
      try {
        this.#invoke(maker as unknown as FunctionNode, env, args, made);
      } catch (error) {
        if (!(error instanceof Thrown)) throw error;
      }
    }
    return made;
  }
}

const SELF = new WeakMap<Env, unknown>();

const isPlain = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** A collection that is filled later. */
const isEmpty = (node: ts.Expression): boolean =>
  ts.isNewExpression(node) || (ts.isArrayLiteralExpression(node) && node.elements.length === 0);

const endsInThrow = (node: ts.Statement): boolean => {
  const last = ts.isBlock(node) ? node.statements.at(-1) : node;
  return last !== undefined && ts.isThrowStatement(last);
};

function declarationsIn(
  node: ts.Node | undefined,
  checker: ts.TypeChecker,
): { readonly symbol: ts.Symbol }[] {
  if (!node || !ts.isVariableDeclarationList(node)) return [];
  return node.declarations.flatMap(({ name }) => {
    const symbol = ts.isIdentifier(name) ? checker.getSymbolAtLocation(name) : undefined;
    return symbol ? [{ symbol }] : [];
  });
}

function operate(kind: ts.SyntaxKind, left: unknown, right: unknown, otherwise: () => unknown): unknown {
  const [a, b] = [left as number, right as number];
  switch (kind) {
    case ts.SyntaxKind.EqualsEqualsEqualsToken:
      return left === right;
    case ts.SyntaxKind.ExclamationEqualsEqualsToken:
      return left !== right;
    case ts.SyntaxKind.PlusToken:
      return a + b;
    case ts.SyntaxKind.MinusToken:
      return a - b;
    case ts.SyntaxKind.AsteriskToken:
      return a * b;
    case ts.SyntaxKind.SlashToken:
      return a / b;
    case ts.SyntaxKind.AsteriskAsteriskToken:
      return a ** b;
    case ts.SyntaxKind.LessThanToken:
      return a < b;
    case ts.SyntaxKind.GreaterThanToken:
      return a > b;
    case ts.SyntaxKind.LessThanEqualsToken:
      return a <= b;
    case ts.SyntaxKind.GreaterThanEqualsToken:
      return a >= b;
    default:
      return otherwise();
  }
}
