import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** A transaction that waits for a second connection of the pool can wait for itself: when as many transactions as the
 *  pool has connections do so at once, none goes on. It also would not see what it wrote itself. */

const SOURCES = path.join(import.meta.dirname, '..', '..', 'server', 'src');
const OTHER_CONNECTION = /^(ctx|this|this\.#?\w+|deps|options|service)\.#?db$/;

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
);

const hasTx = (node: ts.SignatureDeclaration) => node.parameters.some(({ name }) => name.getText() === 'tx');

const isAfterCommit = (node: ts.Node) =>
  ts.isCallExpression(node) && node.expression.getText().endsWith('.afterCommit');

/** Where code that is handed a transaction uses the pool, as file:line, and how many such pieces of code there are. */
function inspect(file: string): { faults: string[]; pieces: number } {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(SOURCES, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const faults: string[] = [];
  let pieces = 0;
  const walk = (node: ts.Node, within: boolean): void => {
    if (isAfterCommit(node)) return;
    const begins = ts.isFunctionLike(node) && hasTx(node);
    if (begins) pieces += 1;
    const named = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
    const inside = begins || (within && !named);
    if (inside && ts.isPropertyAccessExpression(node) && OTHER_CONNECTION.test(node.getText())) {
      faults.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    }
    ts.forEachChild(node, (child) => walk(child, inside));
  };
  walk(source, false);
  return { faults, pieces };
}

test('code within a transaction asks no other connection', () => {
  const found = files.map(inspect);
  expect(found.reduce((sum, { pieces }) => sum + pieces, 0)).toBeGreaterThan(500);
  expect(found.flatMap(({ faults }) => faults)).toEqual([]);
});
