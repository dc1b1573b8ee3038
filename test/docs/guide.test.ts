import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Fastify from 'fastify';
import { beforeAll, expect, test, vi } from 'vitest';
import { runCommand } from '../../cli/src/testing.ts';
import { PARTS, pageOf } from '../../guide/order.mjs';
import { ROOT } from '../../scripts/lib/root.mjs';
import { serveGuide } from '../../server/src/platform/http/guide.ts';

/** The guide: docs/ as pages that the server has at /guide. */

vi.setConfig({ hookTimeout: 240_000 });

const BUILT = path.join(ROOT, 'guide', 'dist');
const below = (folder: string) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => /(?<!\.intro|\.judged)\.md$/.test(name))
    .map((name) => `${folder}/${name}`);
const read = (page: string) => readFileSync(path.join(BUILT, page), 'utf8');
const fileOf = (page: string) =>
  [page, `${page}.html`, path.join(page, 'index.html')].find(
    (name) => /\.\w+$/.test(name) && existsSync(path.join(BUILT, name)),
  );

let pages: readonly string[];

beforeAll(() => {
  execFileSync(process.execPath, [path.join(ROOT, 'scripts', 'guide.mjs')], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: 'pipe',
  });
  pages = readdirSync(BUILT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
});

test('each document is in one part, and has its page', () => {
  const listed = PARTS.flatMap(({ files }) => files);
  expect(new Set(listed).size).toBe(listed.length);
  const documents = [
    ...below('docs'),
    'docs/recipes/README.md',
    'README.md',
    'CONTRIBUTING.md',
    'client/README.md',
  ];
  expect([...listed].sort()).toEqual(documents.sort());
  const all = [...listed, ...below('docs/recipes'), ...below('docs/decisions')];
  expect(all.filter((file) => !pages.includes(pageOf(file).replace(/\.md$/, '.html')))).toEqual([]);
  for (const { title } of PARTS) expect(read('index.html')).toContain(`<h2>${title}</h2>`);
});

test('each link leads to a page, and each anchor to a place on it', () => {
  const ids = new Map(
    pages.map((page) => [page, new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/href="(\/guide\/[^"]*|#[^"]+)"/g)].flatMap(([, href = '']) => {
      const [target = '', anchor] = href.split('#');
      const found = target === '' ? page : fileOf(target.replace('/guide/', '') || 'index');
      const isThere = found !== undefined && (!anchor || ids.get(found)?.has(decodeURIComponent(anchor)));
      return isThere ? [] : [`${page}: ${href}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('pages do nothing that the policy of the server forbids, and are found by a search of their own', async () => {
  for (const page of pages) {
    expect(read(page), page).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle="|\son\w+="/);
    expect(read(page), page).not.toMatch(/(src|href)="https?:[^"]*\.(js|css|woff2?)"/);
  }
  const chunks = readdirSync(path.join(BUILT, 'assets', 'chunks'));
  expect(chunks).toContainEqual(expect.stringMatching(/^@localSearchIndexroot\..*\.js$/));

  const app = Fastify();
  await serveGuide(app, BUILT);
  const page = await app.inject('/guide/operations');
  expect(page).toMatchObject({ statusCode: 200, headers: { 'cache-control': 'no-cache' } });
  expect(page.headers['content-security-policy']).toContain("script-src 'self'; style-src 'self';");
  expect(page.body).toContain('Operating Virga');
  expect((await app.inject('/guide')).headers.location).toBe('/guide/');
  expect((await app.inject('/guide/recipes/')).statusCode).toBe(200);
  const [asset = ''] = /\/guide\/assets\/app\.[^"]+\.js/.exec(page.body) ?? [];
  expect((await app.inject(asset)).headers['cache-control']).toContain('immutable');
  expect((await app.inject('/guide/nothing')).statusCode).toBe(404);
  await app.close();
});

test('each command in a document is one that there is', async () => {
  const files = ['README.md', ...below('docs'), ...below('docs/recipes')];
  const lines = files.flatMap((file) => readFileSync(path.join(ROOT, file), 'utf8').split('\n'));
  const calls = lines.flatMap(
    (line) => /^(?:\S+=\$\()?virga ([a-z0-9][a-z0-9-]*(?: [a-z0-9][a-z0-9-]*)?)/.exec(line)?.[1] ?? [],
  );
  expect(calls.length).toBeGreaterThan(20);
  for (const call of new Set(calls)) {
    const { code, errors } = await runCommand([...call.split(' '), '--help']);
    expect({ call, code, errors }).toMatchObject({ code: 0 });
  }
});
