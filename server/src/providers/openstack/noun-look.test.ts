import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { digestOf } from './digest.ts';
import type { EngineObject, EngineObjects } from './marks.ts';
import { poolsOf } from './networks.ts';
import { NounLook } from './noun-look.ts';
import type { Nouns } from './nouns.ts';
import type { Session } from './session.ts';

/** Which networks a look finds to be otherwise than desired. */

let now: number;
let known: Map<string, EngineObject>;
let listed: Map<string, string>;
let drift: 'repair' | 'keep';

beforeEach(() => {
  now = 1_000_000;
  known = new Map();
  listed = new Map();
  drift = 'repair';
});

const idOf = (index: number) => `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;
const networkOf = (index: number) => ({ kind: 'network', id: idOf(index) }) as const;
const some = (count: number) => Array.from({ length: count }, (_, index) => networkOf(index));

/** All of them are settled, and there. */
function settle(count: number) {
  for (const network of some(count)) {
    const facts = { digest: digestOf(network), seen: '1' };
    known.set(network.id, { engineId: `engine ${network.id}`, facts });
    listed.set(`engine ${network.id}`, '1');
  }
}

function look() {
  const objects = { all: async () => known } as unknown as EngineObjects;
  const session = { identity: async () => ({ projectId: 'p' }) } as unknown as Session;
  const nouns = { seen: async () => listed } as unknown as Nouns;
  const log = pino({ level: 'silent' });
  const options = { objects, session, log, now: () => now, settings: { drift } };
  const its = new NounLook(options, nouns, ['network']);
  return (count: number, held: readonly string[] = [], afterMs = 16_000) => {
    now += afterMs;
    return its.due(some(count), new Set(held));
  };
}

test('what is new or changed here, altered there, or wanted by nobody', async () => {
  settle(5);
  const due = look();
  expect(await due(5)).toEqual([]);
  listed.set(`engine ${idOf(1)}`, '2');
  known.set(idOf(2), { engineId: `engine ${idOf(2)}`, facts: { digest: 'another', seen: '1' } });
  expect(await due(6)).toEqual(
    [
      { kind: 'network', id: idOf(1), why: 'altered' },
      { kind: 'network', id: idOf(2), why: 'changed' },
      { kind: 'network', id: idOf(5), why: 'changed' },
    ].sort((one, other) => one.id.localeCompare(other.id)),
  );
  settle(5);
  expect(await due(4)).toEqual([{ kind: 'network', id: idOf(4), why: 'surplus' }]);
  expect(await due(4, [idOf(4)])).toEqual([]);
});

test('what is missing counts as deleted after two complete looks', async () => {
  settle(3);
  const due = look();
  listed.delete(`engine ${idOf(1)}`);
  expect(await due(3)).toEqual([]);
  expect(await due(3)).toEqual([{ kind: 'network', id: idOf(1), why: 'deleted' }]);
});

test('each turn of a job of 15 s reads the list, also when its clock is a moment early', async () => {
  settle(3);
  const due = look();
  listed.delete(`engine ${idOf(1)}`);
  expect(await due(3)).toEqual([]);
  expect(await due(3, [], 14_990)).toEqual([{ kind: 'network', id: idOf(1), why: 'deleted' }]);
});

test('nothing counts as deleted while more than one in twenty is missing', async () => {
  settle(100);
  const due = look();
  for (let index = 0; index < 6; index++) listed.delete(`engine ${idOf(index)}`);
  for (let looks = 0; looks < 4; looks++) expect(await due(100)).toEqual([]);
  listed.set(`engine ${idOf(0)}`, '1');
  expect(await due(100)).toEqual([]);
  expect((await due(100)).map(({ why }) => why)).toEqual(Array(5).fill('deleted'));
});

test('everything is compared once in six hours, whatever the lists say', async () => {
  settle(3);
  const due = look();
  expect(await due(3)).toEqual([]);
  now += 6 * 3_600_000;
  expect((await due(3)).map(({ why }) => why)).toEqual(['altered', 'altered', 'altered']);
  expect(await due(3)).toEqual([]);
});

test('what was altered there is kept where the operator says so; what was deleted comes back', async () => {
  settle(3);
  drift = 'keep';
  const due = look();
  listed.set(`engine ${idOf(0)}`, '2');
  listed.delete(`engine ${idOf(1)}`);
  expect(await due(3)).toEqual([]);
  expect(await due(3)).toEqual([{ kind: 'network', id: idOf(1), why: 'deleted' }]);
});

test('the addresses that a subnet gives are all but its gateway', () => {
  expect(poolsOf('10.0.0.0/29', '10.0.0.3')).toEqual([
    { start: '10.0.0.1', end: '10.0.0.2' },
    { start: '10.0.0.4', end: '10.0.0.6' },
  ]);
  expect(poolsOf('10.0.0.0/29', '10.0.0.1')).toEqual([{ start: '10.0.0.2', end: '10.0.0.6' }]);
  expect(poolsOf('10.0.0.0/29', null)).toEqual([{ start: '10.0.0.1', end: '10.0.0.6' }]);
});
