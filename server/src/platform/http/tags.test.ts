import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Invalid } from '../../kernel/errors.ts';
import {
  MAX_TAGS,
  newTags,
  parseTags,
  patchReadOnlyTags,
  patchTags,
  viewMetadata,
  viewTags,
} from './tags.ts';

const key = fc.stringMatching(/^[^\s=]{1,20}$/).filter((text) => text.trim() === text);
const value = fc.stringMatching(/^[a-z0-9]([a-z0-9 ]{0,10}[a-z0-9])?$/);
const tags = fc.dictionary(key, value);

describe('tags', () => {
  test('white space around keys and values is stripped before they are judged', () => {
    expect(parseTags({ ' a ': '  b c ' })).toEqual({ a: 'b c' });
  });

  test.each([
    ['', 'x'],
    ['a b', 'x'],
    ['a=b', 'x'],
    ['k'.repeat(256), 'x'],
    ['k', ''],
    ['k', ' '],
    ['k', 'a\tb'],
    ['k', 'a\nb'],
    ['k', 'v'.repeat(256)],
  ])('%j: %j is refused by name', (name, text) => {
    expect(() => parseTags({ [name]: text })).toThrow(Invalid);
  });

  test('length is counted in characters, whatever plane they are of', () => {
    const longest = { ['😀'.repeat(255)]: '😀'.repeat(255) };
    expect(parseTags(longest)).toEqual(longest);
    expect(() => parseTags({ ['😀'.repeat(256)]: 'x' })).toThrow(Invalid);
    expect(() => parseTags({ k: '😀'.repeat(256) })).toThrow(Invalid);
  });

  test('a merge patch adds, replaces and removes, and leaves the rest', () => {
    fc.assert(
      fc.property(tags, tags, (before, patch) => {
        expect(viewMetadata(patchTags(newTags(before), patch))).toEqual({ ...before, ...patch });
      }),
    );
  });

  test('null for everything keeps the read-only tags alone', () => {
    const stored = { ...newTags({ a: '1' }), owner: { value: 'x', read_only: true } };
    expect(viewTags(patchTags(stored, null))).toEqual([{ key: 'owner', value: 'x', read_only: true }]);
  });

  test('a read-only tag can be neither changed nor removed', () => {
    const stored = { owner: { value: 'x', read_only: true } };
    expect(() => patchTags(stored, { owner: 'y' })).toThrow('read-only');
    expect(() => patchTags(stored, { owner: null })).toThrow('read-only');
    expect(patchTags(stored, { owner: 'x' })).toEqual(stored);
    const named = { valueOf: { value: 'x', read_only: true } };
    expect(viewMetadata(patchTags(named, { other: 'y' }))).toEqual({ valueOf: 'x', other: 'y' });
  });
});

describe('the number of tags', () => {
  const many = (count: number, prefix = 'k') =>
    Object.fromEntries(Array.from({ length: count }, (_each, i) => [`${prefix}${i}`, 'v']));

  test('of one resource has a limit, whatever a patch adds', () => {
    const full = newTags(many(MAX_TAGS));
    expect(Object.keys(patchTags(full, { k0: 'other' }))).toHaveLength(MAX_TAGS);
    expect(Object.keys(patchTags(full, { k0: null, new: 'v' }))).toHaveLength(MAX_TAGS);
    expect(() => patchTags(full, { new: 'v' })).toThrow(`not be more than ${MAX_TAGS}`);
    expect(() => patchReadOnlyTags(full, { new: 'v' })).toThrow(`not be more than ${MAX_TAGS}`);
  });

  test('may shrink where it was larger before', () => {
    const more = newTags(many(MAX_TAGS + 9));
    expect(Object.keys(patchTags(more, { k0: null }))).toHaveLength(MAX_TAGS + 8);
  });
});
