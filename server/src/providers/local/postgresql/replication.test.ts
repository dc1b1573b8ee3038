import { expect, test } from 'vitest';
import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { Replication } from './replication.ts';
import type { Notes, Server } from './server.ts';

const TRUSTED: Notes = { host: '127.0.0.1', isSynchronous: true, mayTakeOver: true };
const desired = { id: 'orders', replication: 'sync' } as DesiredCluster;

/** What is noted after a look at a primary that has lost sight of its replica. Its process is seen in any case: one that
 *  is killed is seen until it has given back what it held, which takes longer than its children live.
 *  @param isThere whether it lets somebody in once more */
async function notedAfterALook({ isThere }: { readonly isThere: boolean }): Promise<Notes> {
  let notes = TRUSTED;
  const seen = { rows: [{ state: null, is_kept: true }] };
  let requested = 0;
  const primary = {
    get notes() {
      return notes;
    },
    note: (next: Notes) => {
      notes = next;
    },
    running: () => ({ pid: 1 }),
    asking: async (_: string, work: (client: object) => unknown) => {
      requested += 1;
      if (requested > 1 && !isThere) throw new Error('connect ECONNREFUSED');
      return work({ query: async () => seen });
    },
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
  await replication.reconcile(desired, '', 'change').catch(() => undefined);
  return notes;
}

test('a replica that the primary has lost may not take over', async () => {
  expect(await notedAfterALook({ isThere: true })).toMatchObject({
    isSynchronous: false,
    mayTakeOver: false,
  });
});

test('a replica that a dying primary has lost may take over from it', async () => {
  expect(await notedAfterALook({ isThere: false })).toEqual(TRUSTED);
});
