import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gate } from '../../../../../test/harness/gate.ts';
import { OwnerFence } from './owner-fence.ts';
import { type Looks, Reconciler } from './reconciler.ts';

async function ownRegion() {
  const folder = mkdtempSync(path.join(tmpdir(), 'virga-changes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const fence = new OwnerFence(folder);
  await fence.takeOver(1);
  return { changes: new Reconciler(fence), anotherFence: () => new OwnerFence(folder) };
}

/** What is looked at, as it was desired, in this order. */
function noting(desired: (id: string) => Promise<string | null | undefined>, look = async (_: string) => {}) {
  const seen: string[] = [];
  const looks: Looks<string, true> = {
    desired,
    look: async (each) => {
      seen.push(each);
      await look(each);
      return true;
    },
    failed: (_, error) => {
      throw error;
    },
  };
  return { seen, looks };
}

/** A pass that has asked what is desired, and waits for the answer. */
async function requestedPass(changes: Reconciler) {
  const [requested, answer] = [gate(), gate()];
  const { seen, looks } = noting(async () => {
    requested.open();
    await answer.opened;
    return 'look';
  });
  const pass = changes.reconcile(['one'], 1, looks);
  await requested.opened;
  return { seen, pass, answer: answer.open };
}

test('what waits for its look is looked at as it is to be by then, and not at all when it is gone', async () => {
  const { changes } = await ownRegion();
  const desired = new Map(['first', 'changed', 'removed', 'last'].map((id) => [id, `${id} as before`]));
  const [begun, end] = [gate(), gate()];
  const { seen, looks } = noting(
    async (id) => desired.get(id),
    async (each) => {
      if (!each.startsWith('first')) return;
      begun.open();
      await end.opened;
    },
  );
  const pass = changes.reconcile([...desired.keys()], 1, looks);
  await begun.opened;
  desired.set('changed', 'changed anew');
  await changes.change('changed', async () => undefined);
  desired.delete('removed');
  await changes.change('removed', async () => undefined);
  end.open();
  expect([...(await pass).keys()]).toEqual(['first', 'changed', 'last']);
  expect(seen).toEqual(['first as before', 'changed anew', 'last as before']);
});

test('a change that begins when it is already known what is desired comes after the look', async () => {
  const { changes } = await ownRegion();
  const { seen, pass, answer } = await requestedPass(changes);
  const change = changes.change('one', async () => seen.push('change'));
  await changes.change('another', async () => seen.push('another change'));
  answer();
  await Promise.all([pass, change]);
  expect(seen).toEqual(['another change', 'look', 'change']);
});

test('a region can be taken over while it is asked what is desired there; then nothing is looked at', async () => {
  const { changes, anotherFence } = await ownRegion();
  const { seen, pass, answer } = await requestedPass(changes);
  await anotherFence().takeOver(2);
  answer();
  expect((await pass).size).toBe(0);
  expect(seen).toEqual([]);
});

test('what nobody knows any more is removed, by those who say how', async () => {
  const { changes } = await ownRegion();
  const gone: string[] = [];
  const { seen, looks } = noting(async () => null);
  expect((await changes.reconcile(['one'], 1, looks)).size).toBe(0);
  await changes.reconcile(['two'], 1, { ...looks, gone: async (id) => void gone.push(id) });
  expect([seen, gone]).toEqual([[], ['two']]);
});

test('what is due is looked at between changes, by the owner alone, until the end', async () => {
  const { changes, anotherFence } = await ownRegion();
  onTestFinished(() => changes.close('leave', async () => undefined));
  const [held, end] = [gate(), gate()];
  const change = changes.change('busy', async () => {
    held.open();
    await end.opened;
  });
  await held.opened;
  const looked: string[] = [];
  const failures: unknown[] = [];
  let passes = 0;
  changes.supervise({
    everyMs: 1,
    *due() {
      passes += 1;
      yield* ['busy', 'broken', 'one'];
    },
    look: async (id) => {
      looked.push(id);
      if (id === 'broken') throw new Error('it is broken');
    },
    failed: (id, error) => failures.push([id, String(error)]),
  });
  await expect.poll(() => looked).toContain('one');
  expect(looked).not.toContain('busy');
  expect(failures[0]).toEqual(['broken', 'Error: it is broken']);
  end.open();
  await change;
  await expect.poll(() => looked).toContain('busy');
  await anotherFence().takeOver(2);
  const [before, then] = [failures.length, passes];
  looked.splice(0);
  await expect.poll(() => passes).toBeGreaterThan(then + 2);
  expect(looked).toEqual([]);
  expect(failures.length).toBe(before);
});
