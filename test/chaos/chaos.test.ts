import { expect, test } from 'vitest';
import { newDataDir, removeDataDir } from '../harness/process.ts';
import { runChaos } from './chaos.ts';

const seed = Number(process.env.VIRGA_TEST_CHAOS_SEED ?? 1);
const operations = Number(process.env.VIRGA_TEST_CHAOS_OPERATIONS ?? 60);
const kills = Number(process.env.VIRGA_TEST_CHAOS_KILLS ?? 4);

test.each([
  ['one process', false],
  ['an API and two workers', true],
] as const)(
  `kills at random points of %s lose nothing, do nothing twice and leave nothing behind (seed ${seed})`,
  async (_name, separate) => {
    const dataDir = newDataDir();
    try {
      const result = await runChaos({ dataDir, seed, operations, kills, separate });
      expect(result.faults, `after ${result.kills.join(', ')}`).toEqual([]);
      expect(result.accepted).toBeGreaterThan(operations / 2);
    } finally {
      removeDataDir(dataDir);
    }
  },
);
