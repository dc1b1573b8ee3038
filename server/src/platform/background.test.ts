import { pino } from 'pino';
import { expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/wait.ts';
import { Background } from './background.ts';
import type { Db } from './database/db.ts';

/** Jobs that are not exclusive ask no database. */
const NO_DATABASE = {} as Db;

function counted(afterTakeOver: boolean) {
  const job = { name: 'job', everyMs: 3_600_000, exclusive: false, afterTakeOver, runs: 0 };
  return Object.assign(job, { run: async () => void job.runs++ });
}

test('who becomes the owner of a region does what it needs at once, also when notified in the middle of a turn', async () => {
  const [reconcile, other] = [counted(true), counted(false)];
  let background: Background;
  const first = { ...reconcile, run: async () => void (reconcile.runs++ === 0 && background.ownsMore()) };
  background = new Background([first, other], NO_DATABASE, pino({ level: 'silent' }));
  await background.start();
  background.ownsMore();
  await waitUntil(() => reconcile.runs === 2, { what: 'the second turn' });
  await background.stop();
  expect([reconcile.runs, other.runs]).toEqual([2, 0]);
});
