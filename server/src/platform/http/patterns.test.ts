import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { patternRule, worded } from './patterns.ts';

const DOCUMENT = path.join(import.meta.dirname, '..', '..', '..', '..', 'test/golden/golden/openapi.json');

function patternsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'pattern' && typeof inner === 'string') found.add(inner);
    else patternsIn(inner, found);
  }
  return found;
}

test('a pattern is described by its rule, one without a rule as it stands', () => {
  const pattern = worded('^only-in-this-test$', 'must be only in this test');
  expect(patternRule(pattern)).toBe('must be only in this test');
  expect(patternRule('^x$')).toBe('must match the pattern ^x$');
});

test('no text keeps a pattern of the API busy: one that nearly matches is refused at once', () => {
  const patterns = [...patternsIn(JSON.parse(readFileSync(DOCUMENT, 'utf8')))];
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) {
    const regexp = new RegExp(pattern, 'u');
    for (const start of ['', 'a', 'a.', 'a.a', '/', '1', 'a-']) {
      for (const more of ['a', '0', '-', '.', 'a.', 'a-', ' ', '/']) {
        // Where a text can be read in two ways per character, 25 characters take a second, 40 a day.
        const text = `${start}${more.repeat(25)}\n!`;
        expect(fastest(regexp, text), `${pattern} with ${JSON.stringify(text)}`).toBeLessThan(250);
      }
    }
  }
});

/** Milliseconds of this process's own time; of two runs, since its other threads may do something meanwhile. */
function fastest(regexp: RegExp, text: string): number {
  const run = () => {
    const begun = process.cpuUsage();
    regexp.test(text);
    return process.cpuUsage(begun).user / 1000;
  };
  const first = run();
  return first < 1 ? first : Math.min(first, run());
}
