import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, freePort, listen } from '../../../edge/src/testing/processes.ts';
import { UsageJournal } from '../../../edge/src/usage-journal.ts';
import type { UsageReport } from '../../../edge/src/usage-report.ts';
import { videoToken } from '../../../signing/src/signature.ts';
import { waitUntil } from '../../../test/harness/wait.ts';
import { EdgeProcess } from './edge-process.ts';

let folder: string;
let script: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'virga-edge-'));
  script = path.join(folder, 'edge.mjs');
  const entry = path.join(import.meta.dirname, '../../../edge/src/main.ts');
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

test('what root starts is nobody when it answers, without a secret to be seen', async () => {
  const port = await freePort();
  const pids: number[] = [];
  const log = pino({ level: 'info' }, { write: (line) => pids.push(...pidOf(line)) });
  const report = {
    VIRGA_EDGE_REPORT_URL: 'http://127.0.0.1:1/',
    VIRGA_EDGE_REPORT_TOKEN: 'a-reporter-token',
  };
  const dataDir = path.join(folder, 'closed');
  const inherited = {
    PATH: process.env.PATH,
    VIRGA_MASTER_KEY: 'master',
    VIRGA_VIDEO_SECRETS: 'MySecr3tStr1ng',
  };
  const all = { ...settings(port), ...report, VIRGA_DATA_DIR: dataDir };
  const edge = new EdgeProcess({ script, settings: all, env: inherited, log });
  edge.start();
  // The folder that it serves can be entered by root alone: see beforeAll.
  await waitUntil(delivers(port), { what: 'the edge to deliver' });
  const [pid] = await waitUntil(() => pids.length > 0 && pids, { what: 'its pid' });
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
  expect(read('environ') + read('cmdline')).not.toMatch(/MySecr3tStr1ng|a-reporter-token|master/);
  if (process.getuid?.() === 0) {
    expect(read('status')).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
    expect(read('status')).toMatch(/^CapEff:\t0+$/m);
    expect(read('status')).toMatch(/^Groups:\t *$/m);
  }
  await waitUntil(() => existsSync(path.join(dataDir, 'edge', `usage-${port}`)), { what: 'its journal' });
  await edge.stop();
});

test.runIf(process.getuid?.() === 0)(
  'an edge beside a server has an account of its own, and reads what an older version left',
  async () => {
    const port = await freePort();
    const pids: number[] = [];
    const log = pino({ level: 'info' }, { write: (line) => pids.push(...pidOf(line)) });
    const dataDir = path.join(folder, 'owned');
    const journal = path.join(dataDir, 'edge', `usage-${port}`);
    mkdirSync(path.dirname(journal), { recursive: true });
    writeFileSync(journal, '', { mode: 0o600 });
    const account = { name: 'edge', uid: 91_500, gid: 91_500 };
    const reporting = { VIRGA_EDGE_REPORT_URL: 'http://127.0.0.1:1/', VIRGA_EDGE_REPORT_TOKEN: 'a-token' };
    const all = { ...settings(port), ...reporting, VIRGA_DATA_DIR: dataDir };
    const edge = new EdgeProcess({ script, settings: all, log, account });
    edge.start();
    await waitUntil(delivers(port), { what: 'the edge to deliver' });
    const [pid] = await waitUntil(() => pids.length > 0 && pids, { what: 'its pid' });
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t91500\t91500\t91500\t91500$/m);
    expect(statSync(journal).uid).toBe(91_500);
    await edge.stop();
  },
);

test('the edge ends when the server beside it is killed', async () => {
  const port = await freePort();
  const parent = path.join(folder, 'parent.mjs');
  const call = `spawn(process.execPath, [${JSON.stringify(script)}], { stdio: ['ignore', 2, 2, 'ipc'], detached: true }).send({})`;
  writeFileSync(parent, `import { spawn } from 'node:child_process';\n${call};\n`);
  const server = fork(parent, { env: { ...process.env, ...settings(port) } });
  await waitUntil(delivers(port), { what: 'the edge to deliver' });
  server.kill('SIGKILL');
  await waitUntil(isGone(port), { what: 'the edge to end' });
});

interface Line {
  readonly level: number;
  readonly msg: string;
}

const WARN = 40;

/** An edge, and what its server says of it, down to the quietest line. */
function talking(settings: Record<string, string>) {
  const lines: Line[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) });
  const edge = new EdgeProcess({ script, settings, env: {}, log });
  const attempts = () => lines.filter(({ msg }) => msg === 'the edge is started again').length;
  return { edge, attempts, warnings: () => lines.filter(({ level }) => level >= WARN).map(({ msg }) => msg) };
}

test('an edge that cannot start is tried again, and the reason is said in one line once', async () => {
  const { edge, attempts, warnings } = talking({ VIRGA_VIDEO_SECRETS: 'short' });
  edge.start();
  await waitUntil(() => attempts() > 1, { what: 'two attempts' });
  await edge.stop();
  expect(warnings()).toEqual([expect.stringMatching(/^VIRGA_VIDEO_SECRETS must be .*all else works\.$/)]);
});

test("a second server's edge says once that its port is in use, and delivers when the first one is gone", async () => {
  const port = await freePort();
  const first = talking(settings(port));
  first.edge.start();
  await waitUntil(delivers(port), { what: 'the first edge to deliver' });
  const second = talking(settings(port));
  second.edge.start();
  await waitUntil(() => second.attempts() > 1, { what: 'two attempts' });
  expect(second.warnings()).toEqual([expect.stringContaining(`port ${port} is held by another program`)]);
  expect(await delivers(port)()).toBe(true);
  await first.edge.stop();
  await waitUntil(delivers(port), { what: 'the second edge to deliver' });
  await second.edge.stop();
  expect(first.warnings()).toEqual([]);
});

test('what an edge has counted when it is killed is reported by the next one, once', async () => {
  const reports: UsageReport[] = [];
  let down = true;
  const intake = await listen(
    http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (!down) reports.push(JSON.parse(Buffer.concat(chunks).toString()));
        response.writeHead(down ? 503 : 200).end('{}');
      });
    }),
  );
  const port = await freePort();
  const dataDir = path.join(folder, 'data');
  const journal = path.join(dataDir, 'edge', `usage-${port}`);
  const pids: number[] = [];
  const log = pino({ level: 'info' }, { write: (line) => pids.push(...pidOf(line)) });
  const edge = new EdgeProcess({
    script,
    settings: {
      ...settings(port),
      VIRGA_DATA_DIR: dataDir,
      VIRGA_EDGE_REPORT_URL: `http://127.0.0.1:${intake.port}/reports`,
      VIRGA_EDGE_REPORT_TOKEN: 'reporter',
    },
    log,
  });
  edge.start();
  await waitUntil(delivers(port), { what: 'the edge to deliver' });
  for (let i = 0; i < 9; i++) expect((await ask(port, target)).status).toBe(200);
  const counted = () => new UsageJournal(journal).read().counted[0]?.requests ?? 0;
  // Those who waited for the edge were served once more.
  await waitUntil(() => counted() === 10, { what: 'the journal' });
  process.kill(Number(pids[0]), 'SIGKILL');
  down = false;
  await waitUntil(() => pids.length > 1, { what: 'the next edge' });
  await edge.stop();
  await intake.stop();
  expect(reports.flatMap(({ videos }) => videos)).toEqual([{ video: '1_film', requests: 10, bytes: 80 }]);
});

function pidOf(line: string): number[] {
  const { pid, listening } = JSON.parse(line) as { pid?: number; listening?: string };
  return listening && pid ? [pid] : [];
}
