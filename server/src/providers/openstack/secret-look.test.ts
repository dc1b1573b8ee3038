import { expect, test } from 'vitest';
import { EngineFault } from './faults.ts';
import type { EngineObject } from './marks.ts';
import { SecretLook } from './secret-look.ts';

/** What lists of the key manager say of the certificates of load balancers. */

const MINUTE_MS = 60_000;

function looking(count: number) {
  let now = 1_000_000;
  const said: string[] = [];
  const secretsOf = (index: number) => [`first ${index}`, `second ${index}`];
  const indexes = Array.from({ length: count }, (_, index) => index);
  const listed = new Set(indexes.flatMap(secretsOf));
  const cloud = { reads: 0, isDown: false };
  const objects = new Map<string, EngineObject>([
    ...indexes.map((index) => [`lb ${index}`, kept({ secretIds: secretsOf(index) })] as const),
    ['without TLS', kept({})],
  ]);
  const look = new SecretLook({
    keyManager: {
      async all() {
        cloud.reads++;
        if (cloud.isDown) throw new EngineFault('unavailable', 503, 'the answer was 503');
        return listed;
      },
    },
    log: { warn: (_what: unknown, says?: string) => void said.push(says ?? '') },
    now: () => now,
  });
  return {
    said,
    listed,
    cloud,
    objects,
    async looked(afterMs = MINUTE_MS) {
      now += afterMs;
      await look.look(objects);
      return look.takeLacking();
    },
  };
}

const kept = (facts: EngineObject['facts']): EngineObject => ({ engineId: 'engine', facts });

test('a load balancer lacks a secret that two lists, a minute apart, do not name', async () => {
  const { cloud, listed, looked } = looking(3);
  expect(await looked()).toEqual([]);
  listed.delete('first 1');
  listed.delete('second 1');
  expect(await looked(15_000)).toEqual([]);
  expect(cloud.reads).toBe(1);
  expect(await looked()).toEqual([]);
  expect(await looked()).toEqual(['lb 1']);
  expect(await looked(15_000)).toEqual([]);
  listed.add('first 1').add('second 1');
  expect(await looked()).toEqual([]);
});

test('when those of more than a twentieth are missing nothing counts as deleted', async () => {
  const { listed, looked, said } = looking(40);
  for (const index of [1, 2, 3]) listed.delete(`first ${index}`);
  expect([await looked(), await looked(), await looked()]).toEqual([[], [], []]);
  expect(said.join()).toContain('no secret counts as deleted while so many are missing');
});

test('where no load balancer has a secret nothing is read', async () => {
  const { cloud, looked } = looking(0);
  expect(await looked()).toEqual([]);
  expect(cloud.reads).toBe(0);
});

test('a key manager that does not answer is named once, and nothing counts as deleted', async () => {
  const { cloud, listed, looked, said } = looking(3);
  cloud.isDown = true;
  listed.clear();
  expect([await looked(), await looked()]).toEqual([[], []]);
  expect(said).toEqual(['secrets could not be looked at: the answer was 503']);
});
