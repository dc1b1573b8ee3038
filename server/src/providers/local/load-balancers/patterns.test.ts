import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePassage } from '../host/files.ts';
import { findProgram } from '../host/programs.ts';
import { patternFault } from './patterns.ts';

test('regular expressions are judged by HAProxy itself, and nothing is left of the question', async () => {
  const root = mkdtempSync(join(tmpdir(), 'virga-patterns-'));
  makePassage(root);
  const ask = (pattern: string) => patternFault(findProgram('haproxy') ?? '', root, pattern);
  expect(await ask('^/v[0-9]+/(a|b)$')).toBeNull();
  expect(await ask('it\'s "quoted" \\d #{}')).toBeNull();
  expect(await ask('(unclosed')).toBe('missing closing parenthesis (at character 9)');
  expect(await ask('a{2,1}')).toContain('out of order');
  expect(await ask('two\nlines')).toContain('control character');
  expect(readdirSync(root)).toEqual([]);
  rmSync(root, { recursive: true });
});
