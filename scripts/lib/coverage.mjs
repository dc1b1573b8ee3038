// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Where tests that show an operation at work may be. */
const FOLDERS = [
  'server/src/features',
  'test/spec',
  'test/security',
  'test/integration',
  'test/compat/older',
];

/**
 * Operations for which docs/compatibility.md knows no test.
 * @param {string} root
 * @returns {string[]}
 */
export function unshownOperations(root) {
  const lines = readFileSync(path.join(root, 'docs/compatibility.md'), 'utf8').split('\n');
  return lines.flatMap((line) => /^\| `([A-Z]+ \/\S*)` \|.*\| - \|$/.exec(line)?.[1] ?? []);
}

/** How many files are asked about one operation. */
const LIKELIEST = 4;

/**
 * The test files that are likely to call one of the operations, or all there are when none is given.
 * @param {string} root
 * @param {string[] | undefined} operations
 * @returns {string[]}
 */
export function candidates(root, operations) {
  const files = FOLDERS.flatMap((folder) => testFiles(root, folder));
  if (operations === undefined) return files;
  const texts = files.map((file) => [
    file,
    `${file} ${readFileSync(path.join(root, file), 'utf8')}`.toLowerCase(),
  ]);
  const chosen = operations.flatMap((operation) => likeliest(operation, texts));
  return [...new Set(chosen)].sort();
}

/**
 * Those that mention its path as it stands up to its first parameter, then those that mention its words; a word that
 * few files mention counts most.
 * @param {string} operation
 * @param {string[][]} texts file and what is in it
 */
function likeliest(operation, texts) {
  const words = operation.split(/[/ ]/).filter((word) => /^[a-z][a-z0-9_-]{2,}$/.test(word));
  const begin = (operation.split(' ')[1] ?? '').replace(/\/?\{.*$/, '');
  const mentions = words.map((word) => texts.filter(([, text = '']) => text.includes(word)));
  return texts
    .map((entry) => ({
      file: entry[0] ?? '',
      score: mentions.reduce(
        (sum, found) => sum + (found.includes(entry) ? 1 / found.length : 0),
        entry[1]?.includes(begin) ? 1 : 0,
      ),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, LIKELIEST)
    .map(({ file }) => file);
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
