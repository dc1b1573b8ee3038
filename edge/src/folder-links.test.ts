import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FolderOrigin } from './folder-origin.ts';
import { ask, listen, type Running } from './testing/processes.ts';

let root: string;
let outside: string;
let running: Running;

beforeAll(async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-links-'));
  [root, outside] = [path.join(folder, 'root'), path.join(folder, 'outside')];
  mkdirSync(path.join(root, 'own/below'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'secret'), 'secret');
  writeFileSync(path.join(outside, 'large'), 'x'.repeat(200_000));
  writeFileSync(path.join(root, 'own/below/file'), 'file');
  symlinkSync('/etc/passwd', path.join(root, 'own/passwd'));
  symlinkSync('below/file', path.join(root, 'own/inside'));
  symlinkSync(outside, path.join(root, 'away'));
  symlinkSync('own', path.join(root, 'other'));
  execFileSync('mkfifo', [path.join(root, 'own/pipe')]);
  const origin = new FolderOrigin(root);
  const server = http.createServer((request, response) => {
    origin.serve(String(request.url).slice(1), request, response).catch(() => response.writeHead(500).end());
  });
  running = await listen(server);
});

afterAll(async () => {
  await running.stop();
  rmSync(path.dirname(root), { recursive: true });
});

const status = async (file: string) => (await ask(running.port, `/${file}`)).status;

test('a file is served, also one that has several names', async () => {
  expect(await status('own/below/file')).toBe(200);
  linkSync(path.join(root, 'own/below/file'), path.join(root, 'own/twin'));
  expect(await status('own/twin')).toBe(200);
});

test.each(['own/passwd', 'own/inside', 'away/secret', 'away/large', 'other/below/file'])(
  'a link leads nowhere: %s',
  async (file) => {
    expect(await status(file)).toBe(404);
  },
);

test('a pipe is no file, and nobody waits for it', async () => {
  for (let round = 0; round < 20; round += 1) expect(await status('own/pipe')).toBe(404);
  expect(await status('own/below/file')).toBe(200);
});

test('a device and a folder are no files', async () => {
  expect(await status('own/below')).toBe(404);
});

test('a file that was served is looked at again when a link has taken its place', async () => {
  const file = path.join(root, 'own/changing');
  writeFileSync(file, 'mine');
  expect(await status('own/changing')).toBe(200);
  symlinkSync(path.join(outside, 'secret'), `${file}.new`);
  renameSync(`${file}.new`, file);
  await expect.poll(() => status('own/changing')).toBe(404);
});
