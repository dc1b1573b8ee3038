import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { EngineObjects } from './marks.ts';
import { ServerLines } from './server-lines.ts';
import type { Stored } from './stored.ts';
import { StoredLook } from './stored-look.ts';

/** What lists say of volumes and instances. */

const ids = (count: number) => Array.from({ length: count }, (_, index) => `id ${index}`);
const engineOf = (id: string) => `engine ${id}`;

function look(count: number) {
  let now = 1_000_000;
  const listed = new Map(ids(count).map((id) => [engineOf(id), 'ACTIVE']));
  const known = new Map(ids(count).map((id) => [id, { engineId: engineOf(id), facts: {} }]));
  const objects = { all: async () => known } as unknown as EngineObjects;
  const options = { objects, log: pino({ level: 'silent' }), now: () => now };
  const its = new StoredLook(options, 'volume', async () => listed);
  const observed = (failed?: ReadonlySet<string>, afterMs = 16_000) => {
    now += afterMs;
    return its.observed(ids(count), failed);
  };
  return { listed, observed, again: () => its.observed(ids(count)) };
}

test('what two complete lists do not name is gone, and between lists nothing is said', async () => {
  const { listed, observed, again } = look(10);
  expect((await observed()).states.size).toBe(10);
  listed.delete(engineOf('id 3'));
  expect(await observed()).toMatchObject({ gone: [] });
  expect(await again()).toEqual({ gone: [], states: new Map() });
  expect((await observed()).gone).toEqual(['id 3']);
  listed.set(engineOf('id 3'), 'SHUTOFF');
  const { gone, states } = await observed();
  expect(gone).toEqual([]);
  expect(states.get('id 3')).toBe('SHUTOFF');
});

test('each turn of a job of 15 s reads the list, also when its clock is a moment early', async () => {
  const { observed } = look(10);
  const turns: number[] = [];
  for (const afterMs of [16_000, 14_998, 15_000, 14_990])
    turns.push((await observed(undefined, afterMs)).states.size);
  expect(turns).toEqual([10, 10, 10, 10]);
});

test('when more than a twentieth is missing nothing counts as deleted', async () => {
  const { listed, observed } = look(40);
  for (const id of ids(3)) listed.delete(engineOf(id));
  await observed();
  await observed();
  expect((await observed()).gone).toEqual([]);
});

test('those of which it was said before do not keep others from being noticed', async () => {
  const { listed, observed } = look(40);
  const failed = new Set(ids(3));
  for (const id of ids(4)) listed.delete(engineOf(id));
  await observed(failed);
  expect((await observed(failed)).gone).toEqual(ids(4));
});

test('servers are listed once, and then only those that have changed', async () => {
  let now = 1_000_000;
  const asked: string[] = [];
  let answer = [
    { id: 'a', status: 'ACTIVE' },
    { id: 'b', status: 'ACTIVE' },
  ];
  const stored = {
    all: async (_kind: string, path: string) => {
      asked.push(path);
      return answer;
    },
  } as unknown as Stored;
  const lines = new ServerLines(stored, () => now);
  expect((await lines.read()).size).toBe(2);
  now += 16_000;
  answer = [
    { id: 'b', status: 'DELETED' },
    { id: 'c', status: 'BUILD' },
  ];
  expect([...(await lines.read())]).toEqual([
    ['a', 'ACTIVE'],
    ['c', 'BUILD'],
  ]);
  expect(asked).toEqual(['/servers/detail', '/servers/detail?changes-since=1970-01-01T00%3A11%3A40.000Z']);
});
