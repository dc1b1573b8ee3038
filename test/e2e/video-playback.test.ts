import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FolderOrigin } from '../../edge/src/folder-origin.ts';
import { createEdge } from '../../edge/src/server.ts';
import { freePort, listen, type Running } from '../../edge/src/testing/processes.ts';
import { UsageCounter } from '../../edge/src/usage.ts';
import { EdgeProcess } from '../../server/src/edge/edge-process.ts';
import { IpRanges } from '../../signing/src/addresses.ts';
import { launchBrowser } from '../harness/browser.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { writeSilentStream } from '../harness/silent-stream.ts';
import { waitUntil } from '../harness/wait.ts';
import { AUTOPLAY, seen, servePage } from './video/player.ts';

/** The whole chain in a real browser: the token service signs, the edge delivers, hls.js plays, and the refresh
 *  module keeps it playing past the expiry of its tokens. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const LIFETIME = 3;
const SECRETS = ['MySecr3tStr1ng'];

interface Delivery {
  readonly expires: string;
  readonly status: number;
}

let server: TestServer;
/** Signs addresses of an edge that may be killed. */
let other: TestServer;
let killable: { readonly edge: EdgeProcess; readonly pids: number[] };
let edge: Running;
let pages: Running;
let browser: Browser;
let folder: string;
const deliveries: Delivery[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'virga-stream-'));
  // What an edge delivers, the account nobody may read.
  chmodSync(folder, 0o755);
  writeSilentStream(path.join(folder, 'videos', '1_silence'), 30);
  edge = await startEdge();
  const port = await freePort();
  killable = startEdgeProcess(port);
  server = await startTokenService(edge.port);
  other = await startTokenService(port);
  pages = await listen(http.createServer(servePage));
  browser = await launchBrowser([AUTOPLAY]);
});

afterAll(async () => {
  await browser?.close();
  await pages?.stop();
  await edge?.stop();
  await killable?.edge.stop();
  await server?.close();
  await other?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startTokenService(edgePort: number): Promise<TestServer> {
  const cdnUrl = `http://127.0.0.1:${edgePort}`;
  const nobody = { trustedProxies: undefined, corsOrigins: undefined, authorizeUrl: undefined };
  const video = { accountId: '1', secrets: SECRETS, cdnUrl, cdnIpUrl: 'http://ip.test', ...nobody };
  const service = await startTestServer({ worker: false, video });
  await service.api.listen({ host: '127.0.0.1', port: 0 });
  return service;
}

/** The edge as a server runs it beside itself. */
function startEdgeProcess(port: number) {
  const script = path.join(folder, 'edge.mjs');
  const entryPoints = [path.join(ROOT, 'edge', 'src', 'main.ts')];
  buildSync({ entryPoints, outfile: script, bundle: true, platform: 'node', format: 'esm' });
  const pids: number[] = [];
  const write = (line: string) => {
    const { pid, listening } = JSON.parse(line) as { pid: number; listening?: string };
    if (listening) pids.push(pid);
  };
  const settings = {
    VIRGA_DATA_DIR: folder,
    VIRGA_VIDEO_SECRETS: SECRETS.join(','),
    VIRGA_EDGE_ORIGIN: folder,
    VIRGA_EDGE_PORT: String(port),
  };
  const process = new EdgeProcess({ script, settings, env: {}, log: pino({ level: 'info' }, { write }) });
  process.start();
  return { edge: process, pids };
}

async function startEdge(): Promise<Running> {
  const one = createEdge({
    accountId: '1',
    secrets: SECRETS,
    ipBoundHost: 'ip.test',
    trustedProxies: new IpRanges([]),
    origin: new FolderOrigin(folder),
    usage: new UsageCounter(),
    now: () => Date.now() / 1000,
    log: (message, error) => process.stderr.write(`${message}: ${error}\n`),
  });
  one.on('request', (request, response) => {
    response.on('finish', () => {
      const expires = request.url?.split('/')[4] ?? '';
      deliveries.push({ expires, status: response.statusCode });
    });
  });
  return listen(one);
}

const apiOf = (service: TestServer) => `http://127.0.0.1:${(service.api.addresses()[0] as AddressInfo).port}`;

async function open(refreshing: boolean, service = server): Promise<Page> {
  deliveries.length = 0;
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${pages.port}/`);
  const tokenUrl = `${apiOf(service)}/video/token?video=silence&type=vod&expire=${LIFETIME}`;
  await page.waitForFunction('typeof window.play === "function"');
  await page.evaluate(`window.play(${JSON.stringify(tokenUrl)}, ${refreshing})`);
  return page;
}

test('a stream plays on past two expiries of its token without a stall', async () => {
  const page = await open(true);
  const duration = 3 * LIFETIME + 2;
  const options = { what: `${duration} s of playback`, intervalMs: 100 };
  await waitUntil(async () => (await seen(page)).time >= duration, options);
  const { stalls, errors, refreshes } = await seen(page);
  expect(errors).toEqual([]);
  expect(stalls).toBe(0);
  expect(refreshes).toBeGreaterThanOrEqual(4);
  expect(deliveries.every(({ status }) => status === 200)).toBe(true);
  expect(new Set(deliveries.map(({ expires }) => expires)).size).toBeGreaterThanOrEqual(4);
  await page.close();
});

test('without refreshes the same stream is refused once its token has expired', async () => {
  const page = await open(false);
  const refused = () => deliveries.some(({ status }) => status === 410);
  await waitUntil(refused, { what: 'the edge to refuse' });
  await waitUntil(async () => (await seen(page)).errors.length > 0, { what: 'the player to notice' });
  expect((await seen(page)).refreshes).toBe(1);
  await page.close();
});

test('a stream plays on when the edge is killed in the middle', async () => {
  const page = await open(true, other);
  await waitUntil(async () => (await seen(page)).time >= 3, { what: 'playback' });
  process.kill(Number(killable.pids[0]), 'SIGKILL');
  // Far beyond what was buffered, and beyond two expiries.
  const duration = 3 + 4 + 2 * LIFETIME;
  const options = { what: `${duration} s of playback`, intervalMs: 100 };
  await waitUntil(async () => (await seen(page)).time >= duration, options);
  expect(killable.pids).toHaveLength(2);
  await page.close();
});
