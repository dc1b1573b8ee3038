import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** What people read leads where it says. */

const ROOT = path.join(import.meta.dirname, '..', '..');

const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** Targets of links, without those in blocks of code. */
function linksOf(file: string): string[] {
  const prose = read(file).replace(/```[\s\S]*?```/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => String(target));
}

/** The anchors that headings have: lower case, hyphens for spaces, nothing else but letters and digits. */
function anchorsOf(file: string): string[] {
  const headings = read(file).match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

function isBroken(from: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return false;
  const [name = '', anchor] = target.split('#');
  const file = name === '' ? from : path.join(path.dirname(from), name);
  if (!existsSync(path.join(ROOT, file))) return true;
  return anchor !== undefined && !anchorsOf(file).includes(anchor);
}

test('there are documents with links', () => {
  expect(documents).toContain('README.md');
  expect(documents.flatMap(linksOf).length).toBeGreaterThan(20);
});

describe('every link to a file or a heading of ours works', () => {
  test.each(documents)('%s', (file) => {
    expect(linksOf(file).filter((target) => isBroken(file, target))).toEqual([]);
  });
});

test('every document is linked from another one', () => {
  const linked = new Set(
    documents.flatMap((file) =>
      linksOf(file).map((target) => path.join(path.dirname(file), target.split('#')[0] ?? '')),
    ),
  );
  const isAlone = (file: string) =>
    file.startsWith('docs/') && !file.endsWith('.intro.md') && !linked.has(file);
  const folders = [...linked].map((each) => each.replace(/\/$/, ''));
  expect(documents.filter((file) => isAlone(file) && !folders.includes(path.dirname(file)))).toEqual([]);
});

test('no table has only a head', () => {
  const empty = documents.filter((file) => /^\|[-| :]+\|\n(?!\|)/m.test(`${read(file)}\n`));
  expect(empty).toEqual([]);
});
