import { expect, test } from 'vitest';
import { type Kept, ObjectCache } from './object-cache.ts';

const MIB = 1024 * 1024;
const object = (size: number): Kept => ({
  etag: '"x"',
  modified: 0,
  size,
  headers: {},
  checkedAt: 0,
  body: Buffer.alloc(size),
});

function keep(cache: ObjectCache, name: string, size: number): boolean {
  const is = cache.expect(size);
  if (is) cache.arrived(size, name, object(size));
  return is;
}

test('the least lately used goes first, and never more is kept than there is room', () => {
  const cache = new ObjectCache(8 * MIB);
  for (const name of ['a', 'b', 'c', 'd']) expect(keep(cache, name, 2 * MIB)).toBe(true);
  expect(cache.get('a')).toBeDefined();
  expect(keep(cache, 'e', 2 * MIB)).toBe(true);
  expect(cache.bytes).toBe(8 * MIB);
  expect(['a', 'b', 'c', 'd', 'e'].filter((name) => cache.get(name))).toEqual(['a', 'c', 'd', 'e']);
});

test('what is on its way counts, and what never comes gives its room back', () => {
  const cache = new ObjectCache(8 * MIB);
  for (let i = 0; i < 4; i += 1) expect(cache.expect(2 * MIB)).toBe(true);
  expect(cache.expect(1)).toBe(false);
  cache.arrived(2 * MIB, 'a', undefined);
  expect(cache.bytes).toBe(6 * MIB);
  expect(cache.expect(1)).toBe(true);
});

test('nothing that is too large, or of no known size, is kept', () => {
  const cache = new ObjectCache(100 * MIB);
  expect(cache.expect(8 * MIB)).toBe(true);
  expect(cache.expect(8 * MIB + 1)).toBe(false);
  expect(cache.expect(Number.NaN)).toBe(false);
  expect(new ObjectCache(0).expect(1)).toBe(false);
});

test('an object that comes again counts once', () => {
  const cache = new ObjectCache(8 * MIB);
  for (let i = 0; i < 5; i += 1) keep(cache, 'a', MIB);
  expect(cache.bytes).toBe(MIB);
  cache.delete('a');
  expect(cache.bytes).toBe(0);
});
