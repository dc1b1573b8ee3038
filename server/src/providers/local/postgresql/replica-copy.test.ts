import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { pathsOf } from './paths.ts';
import { type By, Replication } from './replication.ts';
import type { Server } from './server.ts';

/** A replica whose copy cannot be made. */

const COPYING = 'the data are copied to the replica';
const FULL = new Error('the data could not be copied: tar: base: Cannot write: No space left on device');
const desired = { id: 'orders', replication: 'sync' } as DesiredCluster;
let root: string;
let requested: string[];
let warnings: string[];
let replication: Replication;
let paths: Server['paths'];

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'virga-replica-'));
  paths = pathsOf(root, 'orders', 'b');
  requested = [];
  warnings = [];
  const query = async (text: string) => requested.push(text);
  const primary = {
    paths: pathsOf(root, 'orders', 'a'),
    notes: { host: '127.0.0.1' },
    running: () => ({ pid: 1 }),
    // Only copies are given their time.
    asking: async (_: string, work: (client: object) => unknown, patienceMs?: number) => {
      if (patienceMs !== undefined) throw FULL;
      return work({ query });
    },
  };
  const replica = {
    paths,
    hasData: () => existsSync(paths.data),
    stop: async () => undefined,
    fence: async () => undefined,
  };
  replication = new Replication({
    servers: () => ({ primary: primary as unknown as Server, replica: replica as unknown as Server }),
    desired: () => desired,
    write: () => undefined,
    load: async () => undefined,
    change: (action) => action(),
    log: { warn: (_, message) => warnings.push(message) },
  });
});

afterEach(async () => {
  await replication.close();
  rmSync(root, { recursive: true });
});

const reconcile = (parts: Partial<DesiredCluster> = {}, by: By = 'change') =>
  replication.reconcile({ ...desired, ...parts }, '', by);
/** Goes on while the data are copied, as a task does. @returns what ends that */
const fault = () =>
  waitUntil(
    () =>
      reconcile().then(
        (step) => step !== COPYING,
        (error: Error) => error,
      ),
    {
      what: 'the copy to end',
    },
  );

test('a replica that cannot be copied says why, and gives back the room that it took', async () => {
  expect(await fault()).toBe(FULL);
  expect(existsSync(paths.draft)).toBe(false);
});

test('what is left of a replica that was never whole goes when it is no longer desired', async () => {
  expect(await fault()).toBe(FULL);
  requested = [];
  expect(await reconcile({ replication: null })).toBeNull();
  expect(requested).toEqual([expect.stringContaining('pg_drop_replication_slot')]);
  expect(readdirSync(path.join(root, 'orders')).filter((name) => name !== 'account')).toEqual([]);
  expect(existsSync(paths.sockets)).toBe(false);
});

test('a change tries for itself, whatever looks before it could not copy', async () => {
  expect(await reconcile({}, 'look')).toBe(COPYING);
  await waitUntil(() => warnings.length > 0, { what: 'the copy to fail' });
  expect(await reconcile()).toBe(COPYING);
  expect(await fault()).toBe(FULL);
});

test('a cluster that never had a replica is not asked about one', async () => {
  expect(await reconcile({ replication: null })).toBeNull();
  expect(requested).toEqual([]);
});
