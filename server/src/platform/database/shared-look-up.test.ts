import { expect, test } from 'vitest';
import { SharedLookUp } from './shared-look-up.ts';

/** A load that ends on request. */
function controlled() {
  const calls: { keys: readonly string[]; end: (fault?: Error) => void }[] = [];
  const lookUp = new SharedLookUp<string, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const end = (fault?: Error) =>
          fault ? reject(fault) : resolve(new Map(keys.map((key) => [key, key.toUpperCase()])));
        calls.push({ keys, end });
      }),
  );
  return { calls, lookUp };
}

const turns = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

test('what is asked for at once, or while another look-up runs, shares one', async () => {
  const { calls, lookUp } = controlled();
  const first = [lookUp.get('a'), lookUp.get('b'), lookUp.get('a')];
  await turns();
  expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  // Asked for after the first began: it must not get what that one saw.
  const later = [lookUp.get('a'), lookUp.get('c')];
  await turns();
  expect(calls).toHaveLength(1);
  calls[0]?.end();
  expect(await Promise.all(first)).toEqual(['A', 'B', 'A']);
  await turns();
  expect(calls[1]?.keys).toEqual(['a', 'c']);
  calls[1]?.end();
  expect(await Promise.all(later)).toEqual(['A', 'C']);
});

test('a failure reaches those that shared it and nobody after them', async () => {
  const { calls, lookUp } = controlled();
  const first = lookUp.get('a');
  await turns();
  const second = lookUp.get('b');
  calls[0]?.end(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await turns();
  calls[1]?.end();
  expect(await second).toBe('B');
});

test('what is not found is undefined', async () => {
  const lookUp = new SharedLookUp<number, string>(async () => new Map([[1, 'one']]));
  expect(await Promise.all([lookUp.get(1), lookUp.get(2)])).toEqual(['one', undefined]);
});
