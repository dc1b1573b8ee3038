import path from 'node:path';
import { expect, test } from 'vitest';
import { expectGolden } from './golden.ts';
import { readMessages } from './messages.ts';

/** A change of words is seen in review: `npm run generate` writes golden/messages.txt anew. */

const messages = readMessages();

test('the messages are those that were reviewed', () => {
  const folders = [...new Set(messages.map(({ folder }) => folder))];
  const lines = folders.flatMap((folder) => [
    `# ${folder}`,
    ...messages.filter((each) => each.folder === folder).map(({ text }) => text),
    '',
  ]);
  expect(messages.length).toBeGreaterThan(300);
  expectGolden(path.join(import.meta.dirname, 'golden/messages.txt'), lines.join('\n'));
});

test('a message is one sentence without a final period', () => {
  expect(messages.filter(({ text }) => /[^.]\.$/.test(text))).toEqual([]);
});

test('messages use standard terms', () => {
  const own = /\b(in vain|leavings|essence|on paper|in short|goes? with it|taken back)\b/i;
  expect(messages.filter(({ text }) => own.test(text))).toEqual([]);
});
