import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { serverFlags } from './process.ts';

test('only tests have servers without the optimising compiler; the bench measures what people start', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'));
  const said = (flags: readonly string[]) => `node ${flags.join(' ')} scripts/start.mjs`;
  expect(said(serverFlags({}))).toBe(scripts.start);
  expect(serverFlags(process.env)).toEqual(['--no-opt', ...serverFlags({})]);
});
