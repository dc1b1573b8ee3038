import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Nothing is stricter than the contract without a sentence about it. */

const intro = readFileSync('docs/compatibility.intro.md', 'utf8');
const document: unknown = JSON.parse(readFileSync('test/golden/golden/openapi.json', 'utf8'));

/** Patterns that the contract has for the same fields. */
const OF_CONTRACT = [
  '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,61}[a-zA-Z0-9._]$',
  '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,30}[a-zA-Z0-9._]$',
  '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,108}[a-zA-Z0-9._]$',
  '^[a-zA-Z0-9{][a-zA-Z 0-9._\\-}{]{1,61}[a-zA-Z0-9._}]$',
  '^[a-z][a-z0-9\\-]{0,18}[a-z0-9]$',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  // The same texts as the one before, read in one way only.
  '^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$',
  '^[^,/]{1,60}$',
  '^[A-Za-z0-9._-]{1,253}$',
  '^[a-z]*$',
  '^aws-iam$',
  '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$',
  '^\\w{2}$',
];

/** Our own, each with words of the sentence that explains it. */
const EXPLAINED: Readonly<Record<string, string>> = {
  '^\\d{4}-\\d\\d-\\d\\d[Tt ]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?([Zz]|[+-](0\\d|1[0-5])(:?[0-5]\\d)?)?$':
    'a time must be one of RFC 3339',
  '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$': 'names of storages and buckets are words of DNS',
  '^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$': 'names of storages and buckets are words of DNS',
  '^[^\\u0000-\\u001f\\u007f]*$': 'have no control characters',
  '\\S': 'are not blank',
  '^https?://': 'begin with `http://` or `https://`',
  "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$": 'has a name and a value that HTTP allows',
  '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$': 'has a name and a value that HTTP allows',
  '^[1-5]([0-9][0-9]|xx)$': 'an access log is filtered by a status',
  '^/(?:(?:[^/#%]|%[0-9A-Fa-f]{2})(?:[^#%]|%[0-9A-Fa-f]{2})*)?$':
    'The path of a health monitor may have a query and `%20`',
};
const BEGINS = { '^(?:https?://)?': 'addresses of registries are those of a host' };
/** Times of answers, which nobody sends. */
const ANSWERED = /^\^\\d\{4\}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(Z|\\\+00:?00)?\$$/;

function patternsOf(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found;
  if ('pattern' in node && typeof node.pattern === 'string') found.add(node.pattern);
  for (const value of Object.values(node)) patternsOf(value, found);
  return found;
}

test('every pattern of the document is one of the contract, or explained', () => {
  const explanationOf = (pattern: string) =>
    EXPLAINED[pattern] ?? Object.entries(BEGINS).find(([head]) => pattern.startsWith(head))?.[1];
  const unexplained = [...patternsOf(document)].filter((pattern) => {
    if (OF_CONTRACT.includes(pattern) || ANSWERED.test(pattern)) return false;
    const words = explanationOf(pattern);
    return words === undefined || !intro.includes(words);
  });
  expect(unexplained, 'say in docs/compatibility.intro.md why it is stricter than the contract').toEqual([]);
});
