import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, freePort } from '../../edge/src/testing/processes.ts';
import { waitUntil } from '../../test/harness/wait.ts';
import { EdgeProcess } from './edge-process.ts';
import { videoToken } from './kernel/video-signature.ts';

let folder: string;
let script: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'virga-edge-'));
  script = path.join(folder, 'edge.mjs');
  const entry = path.join(import.meta.dirname, '..', '..', 'edge', 'src', 'main.ts');
  buildSync({ entryPoints: [entry], outfile: script, bundle: true, platform: 'node', format: 'esm' });
  mkdirSync(path.join(folder, 'origin/videos/1_film'), { recursive: true });
  writeFileSync(path.join(folder, 'origin/videos/1_film/master.m3u8'), '#EXTM3U\n');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = (port: number) => ({
  VIRGA_VIDEO_SECRETS: 'MySecr3tStr1ng',
  VIRGA_EDGE_PORT: String(port),
  VIRGA_EDGE_ORIGIN: path.join(folder, 'origin'),
});

const expires = 4_000_000_000;
const token = videoToken({ accountId: '1', video: 'film', secret: 'MySecr3tStr1ng', expires, ip: '' });
const target = `/videos/1_film/${token}/${expires}/master.m3u8`;
const delivers = (port: number) => async () => (await ask(port, target)).status === 200;
const isGone = (port: number) => () =>
  ask(port, target).then(
    () => false,
    () => true,
  );

test('the edge is started again when it is killed, and is gone after a stop', async () => {
  const port = await freePort();
  const pids: number[] = [];
  const log = pino({ level: 'info' }, { write: (line) => pids.push(...pidOf(line)) });
  const edge = new EdgeProcess({ script, settings: settings(port), log });
  edge.start();
  await waitUntil(delivers(port), { what: 'the edge to deliver' });
  const [first] = await waitUntil(() => pids.length > 0 && pids, { what: 'its pid' });
  process.kill(Number(first), 'SIGKILL');
  await waitUntil(() => pids.length > 1, { what: 'the next edge' });
  await waitUntil(delivers(port), { what: 'it to deliver' });
  await edge.stop();
  expect(await isGone(port)()).toBe(true);
});

test('the edge ends when the server beside it is killed', async () => {
  const port = await freePort();
  const parent = path.join(folder, 'parent.mjs');
  const call = `spawn(process.execPath, [${JSON.stringify(script)}], { stdio: ['ignore', 2, 2, 'ipc'], detached: true })`;
  writeFileSync(parent, `import { spawn } from 'node:child_process';\n${call};\n`);
  const server = fork(parent, { env: { ...process.env, ...settings(port) } });
  await waitUntil(delivers(port), { what: 'the edge to deliver' });
  server.kill('SIGKILL');
  await waitUntil(isGone(port), { what: 'the edge to end' });
});

test('an edge that cannot start does not stop the server: it is tried again', async () => {
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => warnings.push(line) });
  const edge = new EdgeProcess({ script, settings: { VIRGA_VIDEO_SECRETS: 'short' }, env: {}, log });
  edge.start();
  await waitUntil(() => warnings.length > 1, { what: 'two attempts' });
  await edge.stop();
  expect(warnings[0]).toContain('started again');
});

function pidOf(line: string): number[] {
  const { pid, listening } = JSON.parse(line) as { pid?: number; listening?: string };
  return listening && pid ? [pid] : [];
}
