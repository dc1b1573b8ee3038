import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FolderOrigin } from '../../edge/src/folder-origin.ts';
import { createEdge } from '../../edge/src/server.ts';
import { listen, type Running } from '../../edge/src/testing/processes.ts';
import { UsageCounter } from '../../edge/src/usage.ts';
import { IpRanges } from '../../server/src/kernel/ip-addresses.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { writeSilentStream } from '../harness/silent-stream.ts';
import { waitUntil } from '../harness/wait.ts';

/** The whole chain in a real browser: the token service signs, the edge delivers, hls.js plays, and the refresh
 *  module keeps it playing past the expiry of its tokens. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];
const LIFETIME = 3;
const SECRETS = ['MySecr3tStr1ng'];

interface Delivery {
  readonly expires: string;
  readonly status: number;
}

let server: TestServer;
let edge: Running;
let pages: Running;
let browser: Browser;
let folder: string;
let api: string;
const deliveries: Delivery[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'virga-stream-'));
  writeSilentStream(path.join(folder, 'videos', '1_silence'), 30);
  edge = await startEdge();
  const cdnUrl = `http://127.0.0.1:${edge.port}`;
  const nobody = { trustedProxies: undefined, corsOrigins: undefined, authorizeUrl: undefined };
  const video = { accountId: '1', secrets: SECRETS, cdnUrl, cdnIpUrl: 'http://ip.test', ...nobody };
  server = await startTestServer({ worker: false, video });
  await server.api.listen({ host: '127.0.0.1', port: 0 });
  api = `http://127.0.0.1:${(server.api.addresses()[0] as AddressInfo).port}`;
  pages = await listen(http.createServer(servePage));
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});

afterAll(async () => {
  await browser?.close();
  await pages?.stop();
  await edge?.stop();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

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

const SCRIPTS: Readonly<Record<string, () => string>> = {
  '/hls.js': () => readFileSync(path.join(ROOT, 'node_modules/hls.js/dist/hls.min.js'), 'utf8'),
  '/refresh.js': () => {
    const entryPoints = [path.join(ROOT, 'client/src/refresh.ts')];
    const [file] = buildSync({ entryPoints, bundle: true, format: 'esm', write: false }).outputFiles;
    return file?.text ?? '';
  },
};

/** A page of another origin than the API and the edge. */
function servePage(request: http.IncomingMessage, response: http.ServerResponse): void {
  const script = SCRIPTS[request.url ?? ''];
  response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
  response.end(script ? script() : PAGE);
}

const PAGE = `<!doctype html><title>player</title><video muted></video>
<script src="/hls.js"></script>
<script type="module">
import { TokenRefresher } from '/refresh.js';
const video = document.querySelector('video');
window.seen = { stalls: 0, errors: [], refreshes: 0 };
window.play = async (tokenUrl, refreshing) => {
  const refresher = new TokenRefresher({ tokenUrl, onRefresh: () => { seen.refreshes += 1; } });
  const url = await refresher.start();
  if (!refreshing) refresher.stop();
  // A small buffer, so that there are requests all the time.
  const setup = refreshing ? { xhrSetup: refresher.xhrSetup } : {};
  const hls = new Hls({ maxBufferLength: 4, maxMaxBufferLength: 4, ...setup });
  hls.on(Hls.Events.ERROR, (_, data) => seen.errors.push(data.details));
  video.addEventListener('playing', () => {
    video.addEventListener('waiting', () => { seen.stalls += 1; });
  }, { once: true });
  hls.loadSource(url);
  hls.attachMedia(video);
  await video.play();
};
</script>`;

interface Seen {
  readonly time: number;
  readonly stalls: number;
  readonly errors: readonly string[];
  readonly refreshes: number;
}

const seen = (page: Page): Promise<Seen> =>
  page.evaluate('({ ...window.seen, time: document.querySelector("video").currentTime })');

async function open(refreshing: boolean): Promise<Page> {
  deliveries.length = 0;
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${pages.port}/`);
  const tokenUrl = `${api}/video/token?video=silence&type=vod&expire=${LIFETIME}`;
  await page.waitForFunction('typeof window.play === "function"');
  await page.evaluate(`window.play(${JSON.stringify(tokenUrl)}, ${refreshing})`);
  return page;
}

test('a stream plays on past two expiries of its token without a stall', async () => {
  const page = await open(true);
  const wanted = 3 * LIFETIME + 2;
  const options = { what: `${wanted} s of playback`, timeoutMs: 25_000, intervalMs: 100 };
  await waitUntil(async () => (await seen(page)).time >= wanted, options);
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
  await waitUntil(refused, { what: 'the edge to refuse', timeoutMs: 15_000 });
  await waitUntil(async () => (await seen(page)).errors.length > 0, { what: 'the player to notice' });
  expect((await seen(page)).refreshes).toBe(1);
  await page.close();
});
