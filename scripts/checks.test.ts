import { expect, test } from 'vitest';
import { countTests } from './lib/checks.mjs';

const file = (status: string, tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

const run = (numPassedTests: number, numFailedTests: number, ...testResults: ReturnType<typeof file>[]) => ({
  numPassedTests,
  numFailedTests,
  testResults,
});

test('tests are counted as they ended', () => {
  const results = run(3, 1, file('failed', ['passed', 'failed']));
  expect(countTests(results, false)).toEqual({ passed: 3, failed: 1 });
});

test('a file that could not be loaded is a failure of its own', () => {
  const results = run(2, 0, file('failed', []), file('passed', []));
  expect(countTests(results, false)).toEqual({ passed: 2, failed: 1 });
});

test('a run that failed outside of any test never reads as passed', () => {
  const results = run(2, 0, file('passed', ['passed', 'passed']));
  expect(countTests(results, false)).toEqual({ passed: 2, failed: 1 });
  expect(countTests(results, true)).toEqual({ passed: 2, failed: 0 });
  expect(countTests(undefined, false)).toEqual({ passed: 0, failed: 1 });
});
