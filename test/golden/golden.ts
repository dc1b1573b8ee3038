import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

/** Compares with a file that is kept in the repository; `npm run generate` writes it anew. */
export function expectGolden(file: string, actual: string): void {
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, actual);
  }
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  expect(
    actual,
    `${path.basename(file)} is out of date: run npm run generate and look at the difference`,
  ).toBe(kept);
}
