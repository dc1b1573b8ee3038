import { expect, test } from 'vitest';
import { countTests } from './lib/checks.mjs';

const file = (status: string, tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

test('tests are counted as they ended', () => {
  const results = {
    numPassedTests: 3,
    numFailedTests: 1,
    testResults: [file('failed', ['passed', 'failed'])],
  };
  expect(countTests(results, false)).toEqual({ passed: 3, failed: 1 });
});

test('a file that could not be loaded is a failure of its own', () => {
  const results = {
    numPassedTests: 2,
    numFailedTests: 0,
    testResults: [file('failed', []), file('passed', [])],
  };
  expect(countTests(results, false)).toEqual({ passed: 2, failed: 1 });
});

test('a run that failed outside of any test never reads as passed', () => {
  const results = {
    numPassedTests: 2,
    numFailedTests: 0,
    testResults: [file('passed', ['passed', 'passed'])],
  };
  expect(countTests(results, false)).toEqual({ passed: 2, failed: 1 });
  expect(countTests(results, true)).toEqual({ passed: 2, failed: 0 });
  expect(countTests(undefined, false)).toEqual({ passed: 0, failed: 1 });
});
