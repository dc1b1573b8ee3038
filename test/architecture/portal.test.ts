import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Plain components know neither addresses nor pages: whoever shows them says how a link is followed
 *  (portal/src/ui/routing.tsx). What is sent is typed by the client, and no cast hides what does not fit. */

const SOURCES = path.join(import.meta.dirname, '..', '..', 'portal', 'src');
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(SOURCES, file), 'utf8') }));

test('plain components and pictures import no router, no frame and no pages', () => {
  const plain = files.filter(({ file }) => /^(ui|pictures)\//.test(file));
  expect(plain.length).toBeGreaterThan(50);
  const wrong = plain.filter(({ text }) =>
    /(from|import\()\s*'(@tanstack\/react-router|\.\.\/(app|pages)\/)/.test(text),
  );
  expect(wrong.map(({ file }) => file)).toEqual([]);
});

test('calls of the API import no pages', () => {
  const wrong = files.filter(({ file, text }) => file.startsWith('api/') && text.includes("'../pages/"));
  expect(wrong.map(({ file }) => file)).toEqual([]);
});

test('nothing is cast to what fits everywhere', () => {
  const cast = /\bas never\b(?= *[,;)}\]]|$)/m;
  expect(files.filter(({ text }) => cast.test(text)).map(({ file }) => file)).toEqual([]);
});
