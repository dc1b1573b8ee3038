import path from 'node:path';
import { expect, test } from 'vitest';
import { expectGolden } from './golden.ts';
import { type Message, readMessages } from './messages.ts';
import { readTexts } from './texts.ts';

/** A change of words is seen in review: `npm run generate` writes golden/messages.txt and golden/texts.txt anew. */

const messages = readMessages();
const texts = readTexts(['portal/src', 'cli/src', 'edge/src']);

/** Clients of the wire contract know these by their words. */
const CONTRACT = [
  'No active account found with the given credentials.',
  'Authentication credentials were not provided.',
  '{INVALID_TOKEN}. This token expired at {…}',
];

test('the messages are those that were reviewed', () => {
  expect(messages.length).toBeGreaterThan(700);
  expectGolden(path.join(import.meta.dirname, 'golden/messages.txt'), byFolder(messages));
});

test('the texts of the portal and the command line are those that were reviewed', () => {
  expect(texts.length).toBeGreaterThan(1000);
  expectGolden(path.join(import.meta.dirname, 'golden/texts.txt'), byFolder(texts));
});

test('a message is one sentence without a final period', () => {
  const said = messages.filter(({ text }) => !CONTRACT.includes(text));
  expect(said.filter(({ text }) => /[^.]\.$|\. [A-Z]/.test(text))).toEqual([]);
});

test('messages and texts use standard terms', () => {
  const own =
    /\b(in vain|leavings|essence|on paper|in short|goes? with it|taken? back|wanted|told|stage|lets? go)\b/i;
  expect([...messages, ...texts].filter(({ text }) => own.test(text))).toEqual([]);
});

test('the portal speaks the terms of the field', () => {
  const others = [
    /will come of it|way of a request|who may read|objects? stay|small letters|says? to you that it is us/i,
    /\bgo on\b(?! by itself)|^storages$|when there is more to do|what it is for/i,
    // Units are binary.
    /\b[KMGTP]B\b/,
    // Names of the API are for programs.
    /\b(create|delete|update)_[a-z]+\b|\b[a-z]+\.enabled\b/,
  ];
  const shown = texts.filter(({ folder }) => folder.startsWith('portal'));
  expect(shown.filter(({ text }) => others.some((one) => one.test(text)))).toEqual([]);
  // What the API refuses with stands on the page, too.
  const [words] = others;
  expect(messages.filter(({ text }) => words?.test(text))).toEqual([]);
});

function byFolder(all: readonly Message[]): string {
  const folders = [...new Set(all.map(({ folder }) => folder))];
  return folders
    .flatMap((folder) => [
      `# ${folder}`,
      ...all.filter((each) => each.folder === folder).map(({ text }) => text),
      '',
    ])
    .join('\n');
}
