import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Every sentence with which the server refuses a request or ends a task, as the sources have it. */

const SOURCES = path.join(import.meta.dirname, '..', '..', 'server', 'src');

/** What is thrown to be read by a user; see kernel/errors.ts. */
const ERRORS = new Set([
  'BadRequest',
  'Conflict',
  'Forbidden',
  'Gone',
  'Invalid',
  'Locked',
  'NotFound',
  'NotOffered',
  'PermissionDenied',
  'TaskFailed',
  'TooManyRequests',
  'Unauthenticated',
  'Unprocessable',
]);

export interface Message {
  /** The folder of `server/src`, down to the noun. */
  readonly folder: string;
  readonly text: string;
}

/** All messages, by folder and text, each once. */
export function readMessages(): readonly Message[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$|\.gen\.ts$|\/test-|\/testing\//.test(file))
    .sort();
  const found = files.flatMap((file) => {
    const folder = file.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
    return textsOf(file).map((text): Message => ({ folder, text }));
  });
  const byKey = new Map(found.map((message) => [`${message.folder}\n${message.text}`, message]));
  return [...byKey.keys()].sort().flatMap((key) => byKey.get(key) ?? []);
}

function textsOf(file: string): string[] {
  const text = readFileSync(path.join(SOURCES, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const look = (node: ts.Node): void => {
    const said = messageOf(node);
    if (said) collect(said, texts);
    else ts.forEachChild(node, look);
  };
  look(source);
  return texts;
}

/** The part of a refusal that says what is wrong. */
function messageOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isNewExpression(node)) {
    return ts.isIdentifier(node.expression) && ERRORS.has(node.expression.text) ? node.arguments?.[0] : undefined;
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression } = node.expression;
  const ofFaults = /(^|\.|#)faults$/.test(expression.getText());
  return ofFaults && name.text === 'add' ? node.arguments[1] : undefined;
}

/** The sentences of an expression: of both branches of a condition, and of what makes one for each of a list. */
function collect(node: ts.Node, texts: string[]): void {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    if (node.text.includes(' ')) texts.push(node.text.trim());
  } else if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(({ expression, literal }) => `{${nameOf(expression)}}${literal.text}`);
    const text = [node.head.text, ...parts].join('');
    if (text.includes(' ')) texts.push(text.trim());
  } else {
    ts.forEachChild(node, (child) => collect(child, texts));
  }
}

function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '…';
}
