import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** https://keepachangelog.com/en/1.1.0/ */

const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
const lines = readFileSync(path.join(import.meta.dirname, '..', '..', 'CHANGELOG.md'), 'utf8').split('\n');

test('the changelog has releases with dates, newest first, and one line for each change', () => {
  const releases = lines.filter((line) => line.startsWith('## '));
  expect(releases[0]).toBe('## [Unreleased]');
  for (const release of releases.slice(1))
    expect(release).toMatch(/^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  const dates = releases.slice(1).map((release) => release.slice(-10));
  expect(dates).toEqual([...dates].sort().reverse());
  const others = lines.slice(4).filter((line) => line !== '' && !/^(## |- )/.test(line));
  expect(others.filter((line) => !KINDS.includes(line.replace('### ', '')))).toEqual([]);
});

test('no change is named twice', () => {
  const beginnings = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(0, 60));
  expect(beginnings.filter((line, at) => beginnings.indexOf(line) !== at)).toEqual([]);
});
