import { expect, test } from 'vitest';
import { judge, tableOf } from './judge.mjs';
import { run } from './run.mjs';
import { TOOLS } from './tools.mjs';

test('each tool has a name of its own, and a version that is fixed', () => {
  expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
  for (const { version } of TOOLS) expect(version).toMatch(/^\d+(\.\d+)+$|^`JUDGE_/);
});

test('rows of tools that did not run stay, and a result is one cell', () => {
  const first = tableOf(new Map([['psycopg', 'works']]), '');
  const second = tableOf(new Map([['asyncpg', 'fails: a | b\nmore']]), first);
  expect(second).toContain('| psycopg | 3.3.9 |');
  expect(second).toMatch(/\| asyncpg \| .* \| fails: a \\\| b \|\n/);
  expect(second.trim().split('\n')).toHaveLength(4);
  expect(tableOf(new Map([['psycopg', 'fails']]), second)).not.toContain('works');
});

test('a tool that does not exist is refused before anything is started', async () => {
  expect(await judge('/nowhere', ['psycopgg'])).toBe(1);
});

test('what fails says why, with its last error', async () => {
  const script = 'console.log("Error: the reason"); console.log("more"); process.exit(3)';
  await expect(run(process.execPath, ['-e', script])).rejects.toThrow('ended with 3: Error: the reason');
  expect(await run(process.execPath, ['-e', 'console.log("out"); console.error("no")'])).toBe('out\n');
});
