import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Folders of the data plane may hold a million files of users. Nobody is served while one is removed at one stroke. */

const PROVIDERS = path.join(import.meta.dirname, '..', '..', 'server', 'src', 'providers');

/** These run when nobody is served yet, and remove small things. */
const AT_THE_START = ['local/host/engine-root.ts', 'local/postgresql/check-conf.ts'];

test('no provider holds up others while it removes or copies a folder', () => {
  const files = readdirSync(PROVIDERS, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.test\.ts$|test-support/.test(file),
  );
  const holding = files.filter((file) =>
    /\b(?:rmSync|cpSync)\([^;]*recursive: true/.test(readFileSync(path.join(PROVIDERS, file), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(holding.sort()).toEqual(AT_THE_START);
});
