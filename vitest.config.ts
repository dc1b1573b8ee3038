import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/harness/sequencer.ts';
import { PATIENCE_MS } from './test/harness/wait.ts';

export default defineConfig({
  test: {
    include: [
      'server/src/**/*.test.ts',
      'edge/src/**/*.test.ts',
      'signing/src/**/*.test.ts',
      'client/src/**/*.test.ts',
      'cli/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/operations-setup.ts', 'test/harness/failures-setup.ts'],
    // Longer than a test waits for anything (test/harness/wait.ts): then the test says what did not happen.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // One more than the cores of a small machine: a third of the tests' time is waiting for other processes.
    maxWorkers: 3,
    // Loading the server costs more than most files of tests need: a worker loads it once. No file leaves anything behind
    // for the next one.
    isolate: false,
    // Most of what a test makes is gone soon: with more room for new objects, fewer of them are looked at again.
    execArgv: ['--max-semi-space-size=64'],
    // Hundreds of test files import the same modules: each is transformed once, not once a file.
    experimental: { fsModuleCache: true },
  },
});
