import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type LocalClusters,
  newCluster,
  startLocalClusters,
} from '../../../../../test/harness/local-postgresql.ts';
import { RESTORE_CLUSTER } from '../../../features/managed-postgresql/port.ts';
import { pathsOf } from './paths.ts';

/** A region of two machines: what was made on the other one is not here. */

const SAID = 'does not have the data of this cluster';

let local: LocalClusters;

beforeEach(async () => {
  local = await startLocalClusters();
});

afterEach(() => local.close());

test('a cluster whose data are on another machine is said not to serve', async () => {
  const elsewhere = await newCluster({ hostOf: async () => '127.0.0.1' }, {});
  const observed = await local.observe(elsewhere);
  expect(observed?.fault).toContain(SAID);
  expect(observed?.servers?.phase).toBe('down');
  await expect(local.bring(elsewhere)).rejects.toThrow(SAID);
  // The change has failed, and there is nothing to undo.
  const undoing = { key: 'task', type: RESTORE_CLUSTER, name: 'test', acceptedAt: new Date(0) };
  const change = { isNew: false, retracted: { databases: [], users: [] } };
  expect(await local.provider.applyCluster(elsewhere, change, undoing)).toEqual({ ready: true });
  expect(local.folders()).not.toContain(elsewhere.id);
});

test('what was begun here and made on another machine does not take the place of that', async () => {
  const cluster = await local.create();
  expect((await local.observe(cluster))?.fault).toBeNull();
  const { notes } = pathsOf(local.root, cluster.id);
  await local.crash(() => {
    const made = JSON.parse(readFileSync(notes, 'utf8'));
    writeFileSync(notes, JSON.stringify({ ...made, isNew: true }));
  });
  expect((await local.observe(cluster))?.fault).toContain(SAID);
  await expect(local.bring(cluster)).rejects.toThrow(SAID);
});
