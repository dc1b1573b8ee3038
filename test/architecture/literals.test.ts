import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
const FOLDERS = ['bench', 'cli/src', 'client/src', 'edge/src', 'portal/src', 'scripts', 'server/src', 'test'];
/** Apart, so that this file has none. */
const SPREAD = `...${'{'}`;

test('literals are written out: none is spread into another', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.includes('node_modules'))
      .map((file) => path.join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(1_000);
  const spreads = files.flatMap((file) =>
    readFileSync(path.join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => (line.includes(SPREAD) ? [`${file}:${at + 1}`] : [])),
  );
  expect(spreads).toEqual([]);
});
