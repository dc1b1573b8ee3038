// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Where tests that show an operation at work may be. */
const FOLDERS = ['server/src/features', 'test/spec', 'test/integration'];

/**
 * Operations for which docs/compatibility.md knows no test.
 * @param {string} root
 * @returns {string[]}
 */
export function unshownOperations(root) {
  const lines = readFileSync(path.join(root, 'docs/compatibility.md'), 'utf8').split('\n');
  return lines.flatMap((line) => /^\| `([A-Z]+ \/\S*)` \|.*\| - \|$/.exec(line)?.[1] ?? []);
}

/**
 * Test files that may call one of the operations: they mention the constant beginning of its path, or all
 * there are when none is given.
 * @param {string} root
 * @param {string[] | undefined} operations
 * @returns {string[]}
 */
export function candidates(root, operations) {
  const files = FOLDERS.flatMap((folder) => testFiles(root, folder));
  if (operations === undefined) return files;
  const beginnings = operations.map((operation) => /^\S+ ([^{]*?)\/?(\{|$)/.exec(operation)?.[1] ?? '');
  return files.filter((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return beginnings.some((beginning) => text.includes(beginning));
  });
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function testFiles(root, folder) {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .sort();
}
