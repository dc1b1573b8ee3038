import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Whoever opens a file can read all of it. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const FOLDERS = [
  'server/src',
  'edge/src',
  'signing/src',
  'client/src',
  'cli/src',
  'console/src',
  'bench/src',
  'scripts',
  'test',
];
const MOST_LINES = 400;

test(`no file of code has more than ${MOST_LINES} lines, but those that are generated`, () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(tsx?|mjs|css|py)$/.test(file) && !/\.gen\.ts$/.test(file))
      .map((file) => path.join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(1000);
  const tooLong = files.filter(
    (file) => readFileSync(path.join(ROOT, file), 'utf8').split('\n').length - 1 > MOST_LINES,
  );
  expect(tooLong).toEqual([]);
});
