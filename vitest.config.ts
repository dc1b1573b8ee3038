import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'server/src/**/*.test.ts',
      'edge/src/**/*.test.ts',
      'client/src/**/*.test.ts',
      'cli/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/operations-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
