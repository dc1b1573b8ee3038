import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { createLog } from '../../kernel/log.ts';
import { type Drift, type Drifting, DriftReconciler, type Entry } from './reconciler.ts';

const server = shared(() => startTestServer({ worker: false }));

type Thing = { readonly id: string };

/** A region with these rows, in which a look finds these. @returns what was done there, and what was logged */
async function reconciled(
  rows: readonly Partial<Entry<Thing>>[],
  drifts: readonly (readonly [id: string, why: Drift['why']])[],
  { mayLook = true }: { mayLook?: boolean } = {},
) {
  const entries = rows.map((row): Entry<Thing> => {
    const id = row.id ?? '';
    return { id, projectId: 1, regionId: 2, isHeld: false, desired: { id }, ...row };
  });
  const [done, looked, logged]: [string[], string[][], string[]] = [[], [], []];
  const things: Drifting<object, Thing, 'thing'> = {
    noun: 'things',
    providerOf: (regionId) => ({
      mayLook: async () => mayLook,
      look: async (desired, held) => {
        if (regionId === 1) throw new Error('the region does not answer');
        looked.push([...desired.map(({ id }) => id), ...[...held].map((id) => `held ${id}`)]);
        return drifts.map(([id, why]) => ({ kind: 'thing', id, why }));
      },
    }),
    readAll: async () => entries,
    readNow: async (_db, { id }) => entries.find((each) => each.id === id),
    apply: async (_provider, { id }) => {
      if (id === 'refused') throw new Error('the engine refuses');
      done.push(`apply ${id}`);
      return { ready: true, changes: [`thing: ${id}`] };
    },
    remove: async (_provider, { id }) => done.push(`remove ${id}`),
  };
  const log = createLog('warn', { destination: { write: (line: string) => void logged.push(line) } });
  const { db, clock } = server;
  await new DriftReconciler({ db, log, clock, regionIds: () => [1, 2] }, things).run();
  return { done, looked, logged: logged.join('') };
}

const repairs = async () =>
  (await server.call('GET', '/virga/v1/audit_log')).body.results
    .filter(({ action }: { action: string }) => action === 'repair_thing')
    .map(({ subject, subject_name }: Record<string, string>) => [subject, subject_name]);

test('what others have changed is brought back, and named to its account; a change of ours is not', async () => {
  const { done, looked, logged } = await reconciled(
    [{ id: 'altered' }, { id: 'refused' }, { id: 'ours' }, { id: 'held', isHeld: true }],
    [
      ['refused', 'altered'],
      ['altered', 'altered'],
      ['ours', 'changed'],
      ['held', 'altered'],
      ['stranger', 'surplus'],
    ],
  );
  expect(done).toEqual(['apply altered', 'apply ours', 'remove stranger']);
  expect(looked).toEqual([['altered', 'refused', 'ours', 'held held']]);
  expect(logged).toContain('the region does not answer');
  expect(logged).toContain('the engine refuses');
  expect(await repairs()).toEqual([['altered', 'thing: altered']]);
});

test('what has become of another region, or is looked at by another node, is left alone', async () => {
  const moved = await reconciled([{ id: 'moved', regionId: 3 }], [['moved', 'deleted']]);
  expect(moved.done).toEqual([]);
  const other = await reconciled([{ id: 'any' }], [['any', 'altered']], { mayLook: false });
  expect([other.done, other.looked]).toEqual([[], []]);
});
