import { expect, test } from 'vitest';
import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { Replication } from './replication.ts';
import type { Notes, Server } from './server.ts';

const TRUSTED: Notes = { host: '127.0.0.1', isSynchronous: true, mayTakeOver: true };
const desired = { id: 'orders', replication: 'sync' } as DesiredCluster;

/** What is noted after a look at a primary that has lost sight of its replica. */
async function notedAfterALook({ isRunning }: { readonly isRunning: boolean }): Promise<Notes> {
  let notes = TRUSTED;
  const seen = { rows: [{ state: null, is_kept: true }] };
  const primary = {
    get notes() {
      return notes;
    },
    note: (next: Notes) => {
      notes = next;
    },
    running: () => (isRunning ? { pid: 1 } : null),
    asking: (_: string, work: (client: object) => unknown) => work({ query: async () => seen }),
  };
  const replica = { hasData: () => true, isStandby: () => true, running: () => ({ pid: 2 }) };
  const replication = new Replication({
    servers: () => ({ primary: primary as unknown as Server, replica: replica as unknown as Server }),
    desired: () => desired,
    write: () => undefined,
    load: async () => undefined,
    change: (action) => action(),
    log: { warn: () => undefined },
  });
  await replication.tend(desired, '', 'change').catch(() => undefined);
  return notes;
}

test('a replica that the primary has lost may not take over', async () => {
  expect(await notedAfterALook({ isRunning: true })).toMatchObject({
    isSynchronous: false,
    mayTakeOver: false,
  });
});

test('a replica that a dying primary has lost may take over from it', async () => {
  expect(await notedAfterALook({ isRunning: false })).toEqual(TRUSTED);
});
