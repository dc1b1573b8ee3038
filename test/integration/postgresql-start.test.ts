import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { TaskFailed } from '../../server/src/kernel/errors.ts';
import { allPids, commandLine } from '../../server/src/kernel/processes.ts';
import { ask, type LocalClusters, startLocalClusters } from '../harness/local-postgresql.ts';

/** Starts of a cluster's server that do not end well. */

let clusters: LocalClusters;
let desired: DesiredCluster;

beforeAll(async () => {
  clusters = await startLocalClusters();
  desired = await clusters.create();
});

afterAll(() => clusters.close());

const serverOf = (id: string) =>
  allPids().find((pid) => {
    const [program = '', ...words] = commandLine(pid);
    return program.endsWith('/postgres') && words.some((word) => word.includes(id));
  });

/** One step, while whatever runs of the cluster is killed as soon as it is seen. @returns what the step says */
async function stepWhileKilled(): Promise<unknown> {
  let said: unknown;
  const step = clusters.step(desired).then(
    () => 'it runs',
    (error: unknown) => error,
  );
  void step.then((end) => {
    said = end;
  });
  while (said === undefined) {
    const pid = serverOf(desired.id);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await nextTurn();
  }
  return said;
}

test('a server that is killed while it starts fails no task, which starts it again', async () => {
  await clusters.crash(() => undefined);
  const said = await stepWhileKilled();
  expect(said).toBeInstanceOf(Error);
  expect(said).not.toBeInstanceOf(TaskFailed);
  await clusters.bring(desired);
  expect(await ask(desired, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a server that complains while it starts fails its task, which says why', async () => {
  const other = createServer();
  const listens = once(other, 'listening');
  await clusters.crash(() => other.listen(5432, desired.host));
  await listens;
  await expect(clusters.step(desired)).rejects.toThrow(
    new TaskFailed('PostgreSQL did not start: could not create any TCP/IP sockets'),
  );
  other.close();
  await once(other, 'close');
  await clusters.bring(desired);
  expect(await ask(desired, 'select 1 as one')).toEqual([{ one: 1 }]);
});
