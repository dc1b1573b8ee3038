import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** Every promise of docs/security.md, and every attack that was tried, names a test that is there, by its title. So
 *  does docs/security-asvs.md, as far as a requirement has one. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const DOCS = path.join(ROOT, 'docs');
const HEAD = /\| (?:promise|attack \| answer) \| test \|\n(?:\|---)+\|\n/;
const tables = readFileSync(path.join(DOCS, 'security.md'), 'utf8').split(HEAD).slice(1);
const rows = tables
  .flatMap((rest) => rest.split(/\n(?!\|)/)[0]?.split('\n') ?? [])
  .map((line) => line.split(' | '))
  .map(([promise = '', ...shown]) => ({ promise: promise.replace('| ', ''), shown: shown.join(' | ') }));

/** Tests that a text links by their titles. */
const testsIn = (text: string) =>
  [...text.matchAll(/\[([^\]]+)\]\((\.\.\/[^)]+\.test\.ts)\)/g)].map(([, title = '', file = '']) => ({
    title,
    file,
  }));

function isThere({ title, file }: { title: string; file: string }): boolean {
  const target = path.join(DOCS, file);
  return existsSync(target) && readFileSync(target, 'utf8').includes(title);
}

test('there are promises', () => {
  expect(rows.length).toBeGreaterThan(100);
});

describe('is shown by a test:', () => {
  test.each(rows)('$promise', ({ shown }) => {
    const named = testsIn(shown);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((each) => !isThere(each))).toEqual([]);
  });
});

describe('the requirements of ASVS', () => {
  const text = readFileSync(path.join(DOCS, 'security-asvs.md'), 'utf8');
  const requirements = [...text.matchAll(/^\| (\d+)\.\d+\.\d+ \| [^|]+ \| ([^|]+) \|.*$/gm)];

  test('name tests and files that are there', () => {
    expect(testsIn(text).filter((each) => !isThere(each))).toEqual([]);
    const files = [...text.matchAll(/`([\w.-][\w./-]*\.(?:tsx?|mjs|md))`/g)].map(([, file = '']) => file);
    const bases = [ROOT, path.join(ROOT, 'server', 'src')];
    expect(files.filter((file) => !bases.some((base) => existsSync(path.join(base, file))))).toEqual([]);
  });

  test('are counted as they are answered', () => {
    const answers = ['met', 'in part', 'not met', 'does not apply'];
    const counts = (of: (chapter: string) => boolean) =>
      answers.map(
        (answer) => requirements.filter(([, chapter = '', is]) => of(chapter) && is === answer).length,
      );
    for (const [, chapter, ...said] of text.matchAll(
      /^\| V(\d+) [^|]+\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm,
    ))
      expect(said.map(Number), `V${chapter}`).toEqual(counts((each) => each === chapter));
    const all = /\*\*all 259\*\* \|([^\n]+)/.exec(text)?.[1]?.match(/\d+/g)?.map(Number);
    expect(all).toEqual(counts(() => true));
    expect(requirements).toHaveLength(259);
  });
});
