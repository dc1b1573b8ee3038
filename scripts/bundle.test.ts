import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundle } from './lib/bundle.mjs';

const root = mkdtempSync(path.join(tmpdir(), 'virga-bundle-'));
afterAll(() => rmSync(root, { recursive: true }));

const SOURCE = `/** A comment that the bundle does without. */
const reason: string = 'out of order';

throw new Error(reason);
`;

test('the trace of an error names the line of the source, and the bundle does without its comments', async () => {
  mkdirSync(path.join(root, 'edge', 'src'), { recursive: true });
  writeFileSync(path.join(root, 'edge', 'src', 'main.ts'), SOURCE);
  const file = await bundle(root, 'edge');
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', file], { encoding: 'utf8' });
  expect(stderr).toContain(`${path.join(root, 'edge', 'src', 'main.ts')}:4`);
  expect(stderr).toContain('throw new Error(reason);');
  expect(readFileSync(file, 'utf8')).not.toContain('does without');
});
