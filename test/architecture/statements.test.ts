import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** PostgreSQL refuses a prepared statement whose name another text has on the same connection: the name of each is in
 *  one place alone. */

const SOURCES = path.join(import.meta.dirname, '..', '..', 'server', 'src');
const CALL = /\b(?:named(?:Row|Number|Any)?|atCommit)\b/g;

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
);

/** Where the first bracket after `from` closes again. */
function afterBrackets(text: string, from: number, [open, close]: readonly [string, string]): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === open) depth += 1;
    else if (text[i] === close && text[i - 1] !== '=') depth -= 1;
    if (depth === 0) return i + 1;
  }
  return text.length;
}

/** Names of statements as they are written, those that are made of parts included. */
function namesIn(file: string): string[] {
  const text = readFileSync(path.join(SOURCES, file), 'utf8');
  return [...text.matchAll(CALL)].flatMap(({ index, 0: call }) => {
    const afterName = index + call.length;
    const at = text[afterName] === '<' ? afterBrackets(text, afterName, ['<', '>']) : afterName;
    const name = /^\(\s*(['"`])(.*?)\1/s.exec(text.slice(at, at + 300))?.[2];
    return name === undefined ? [] : [name];
  });
}

test('every prepared statement has a name of its own', () => {
  const places = new Map<string, string[]>();
  for (const file of files) {
    for (const name of namesIn(file)) places.set(name, [...(places.get(name) ?? []), file]);
  }
  expect(places.size).toBeGreaterThan(400);
  const twice = [...places].filter(([, where]) => where.length > 1);
  expect(twice).toEqual([]);
});
