import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TaskFailed } from '../../../kernel/errors.ts';
import { escapeCommandWord, identifier, quote, quoteFormat } from './quoting.ts';

/** HAProxy's own way to cut a line into words (configuration manual, 2.2 and 2.3), written anew. */
function words(line: string): string[] {
  const found: string[] = [];
  let word: string | null = null;
  let quoted: '"' | "'" | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quoted === "'") {
      if (character === "'") quoted = null;
      else word += character;
    } else if (character === '\\') {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (quoted === '"') {
      if (character === '"') quoted = null;
      else if (character === '$') return ['an environment variable'];
      else word += character;
    } else if (character === '"' || character === "'") {
      quoted = character;
      word ??= '';
    } else if (character === '#') {
      break;
    } else if (/\s/.test(character)) {
      if (word !== null) found.push(word);
      word = null;
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === null ? found : [...found, word];
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '#', ' ', '$', '{', '}', '%', '\t', 'a', '\n', '\0', ';'),
  }),
);
const hasControl = (text: string) => [...text].some((character) => character < ' ' || character === '\u007f');

describe('a quoted word', () => {
  test('is exactly one word, the one that was meant, or refused', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        if (hasControl(text)) expect(() => quote(text)).toThrow(TaskFailed);
        else expect(words(`before ${quote(text)} after`)).toEqual(['before', text, 'after']);
      }),
      { numRuns: 1_000 },
    );
  });

  test('has no live percent sign where formats are read', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        fc.pre(!hasControl(text));
        const [, word = ''] = words(`before ${quoteFormat(text)} after`);
        expect(word.replaceAll('%%', '').includes('%')).toBe(false);
        expect(word.replaceAll('%%', '%')).toBe(text);
      }),
    );
  });
});

test('a word of a command is neither cut nor followed by another command', () => {
  expect(escapeCommandWord('a b;c\\d')).toBe('a\\ b\\;c\\\\d');
  expect(() => escapeCommandWord('a\nshow env')).toThrow(TaskFailed);
});

test('only plain ids become names', () => {
  expect(identifier('0c1d-A_b')).toBe('0c1d-A_b');
  for (const id of ['', 'a b', '../x', "a'", 'a\n', 'x'.repeat(65)]) expect(() => identifier(id)).toThrow();
});
