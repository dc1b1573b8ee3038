import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { buildSync } from 'esbuild';
import { pino } from 'pino';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliveryTable, NEW_SECRET, SECRETS, signedPath } from '../../edge/src/testing/delivery-table.ts';
import { ACCOUNT, makeOrigin } from '../../edge/src/testing/origin-files.ts';
import { ask, freePort, listen, type Running } from '../../edge/src/testing/processes.ts';
import { EdgeProcess } from '../../server/src/edge/edge-process.ts';
import { launchBrowser } from '../harness/browser.ts';
import { lookFor, startTestServer, type TestServer } from '../harness/server.ts';
import { SEGMENT_SECONDS, silentStreamInOneFile } from '../harness/silent-stream.ts';
import { waitUntil } from '../harness/wait.ts';
import { filesBelow } from './video/files.ts';
import { AUTOPLAY, seen, servePage } from './video/player.ts';

/** All the way: the API makes a storage, a bucket and a key, the AWS SDK uploads a stream, the edge reads it from the
 *  bucket, and a browser plays it at signed addresses. */

const MAIN = path.join(import.meta.dirname, '..', '..', 'edge', 'src', 'main.ts');
const STORAGES = '/storage/v4/object_storages';
const SECONDS = 40;
const engines = await lookFor(['s3', 'postgresql-18']);
const fault = engines.faultOf('s3');

interface Key {
  readonly access_key: string;
  readonly secret_key: string;
}

describe.skipIf(fault !== undefined)(`video from a bucket${fault ? `: skipped, ${fault}` : ''}`, () => {
  let server: TestServer;
  let pages: Running;
  let browser: Browser;
  let folder: string;
  let address: string;
  let key: Key;
  let edge: EdgeProcess;
  let port: number;
  const lines: string[] = [];

  const credentials = ({ access_key, secret_key }: Key) => `${access_key}:${secret_key}`;
  const bundle = () => path.join(folder, 'edge.mjs');
  const settings = (overrides: Readonly<Record<string, string>> = {}) => ({
    VIRGA_DATA_DIR: folder,
    VIRGA_VIDEO_ACCOUNT_ID: ACCOUNT,
    VIRGA_VIDEO_SECRETS: SECRETS.join(','),
    VIRGA_CDN_IP_URL: 'http://cdn-ip.test',
    VIRGA_EDGE_ORIGIN: 's3://films/ready made',
    VIRGA_EDGE_S3_ENDPOINT: address,
    VIRGA_EDGE_S3_CREDENTIALS: credentials(key),
    VIRGA_EDGE_PORT: String(port),
    ...overrides,
  });

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'virga-bucket-'));
    port = await freePort();
    const cdnUrl = `http://127.0.0.1:${port}`;
    const nobody = { trustedProxies: undefined, corsOrigins: undefined, authorizeUrl: undefined };
    server = await startTestServer({
      regions: [
        {
          id: 1,
          display_name: 'Here',
          slug: 'here',
          state: 'ACTIVE' as const,
          provider: 'local',
          settings: {},
        },
      ],
      engines,
      video: { accountId: ACCOUNT, secrets: [NEW_SECRET], cdnUrl, cdnIpUrl: 'http://ip.test', ...nobody },
    });
    await server.api.listen({ host: '127.0.0.1', port: 0 });
    const call = async (rest: string, body: object) => {
      const reply = await server.call('POST', `${STORAGES}${rest}`, { body });
      expect(reply.status).toBe(201);
      return reply.body;
    };
    const storage = await call('', { location_name: 'here', name: 'video' });
    address = storage.address;
    await call(`/${storage.id}/buckets`, { name: 'films' });
    // Whoever only delivers needs to write nothing.
    key = await call(`/${storage.id}/access_keys`, { read_only: true });
    await upload(storage.access_keys[0]);
    buildSync({ entryPoints: [MAIN], outfile: bundle(), bundle: true, platform: 'node', format: 'esm' });
    const log = pino({ level: 'info' }, { write: (line) => lines.push(line) });
    edge = new EdgeProcess({ script: bundle(), settings: settings(), env: {}, log });
    edge.start();
    await waitUntil(() => lines.some((line) => line.includes('listening')), {
      what: () => `the edge to listen; it said:\n${lines.join('')}`,
    });
    pages = await listen(http.createServer(servePage));
    browser = await launchBrowser([AUTOPLAY]);
  });

  afterAll(async () => {
    await browser?.close();
    await pages?.stop();
    await edge?.stop();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The files that every edge is tested with, and a stream. */
  async function upload(owner: Key): Promise<void> {
    const origin = makeOrigin();
    const files = filesBelow(origin.folder);
    origin.remove();
    const stream = Object.entries(silentStreamInOneFile(SECONDS));
    for (const [name, body] of stream) files.push([`videos/${ACCOUNT}_silence/${name}`, Buffer.from(body)]);
    const s3 = new S3Client({
      endpoint: address,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: owner.access_key, secretAccessKey: owner.secret_key },
    });
    for (const [name, Body] of files)
      await s3.send(new PutObjectCommand({ Bucket: 'films', Key: `ready made/${name}`, Body }));
    s3.destroy();
  }

  describe('is like one from a folder:', () => deliveryTable(() => port));

  test('plays in a browser, and seeking asks for ranges', async () => {
    const page = await browser.newPage();
    const ranges: string[] = [];
    page.on('response', (response) => {
      const range = response.headers()['content-range'];
      if (response.status() === 206 && range) ranges.push(range);
    });
    await page.goto(`http://127.0.0.1:${pages.port}/`);
    await page.waitForFunction('typeof window.play === "function"');
    const { port: api } = server.api.addresses()[0] as AddressInfo;
    const tokenUrl = `http://127.0.0.1:${api}/video/token?video=silence&type=vod&expire=300`;
    await page.evaluate(`window.play(${JSON.stringify(tokenUrl)}, true)`);
    await waitUntil(async () => (await seen(page)).time > 2, { what: 'playback' });
    const before = new Set(ranges);
    expect(before.size).toBeGreaterThan(1);
    const there = Math.floor((SECONDS - 8) * SEGMENT_SECONDS);
    await page.evaluate(`document.querySelector('video').currentTime = ${there}`);
    await waitUntil(async () => (await seen(page)).time > there + 2, { what: 'playback after seeking' });
    expect(ranges.filter((range) => !before.has(range)).length).toBeGreaterThan(1);
    // What lies between was never asked for: a buffer holds four seconds.
    expect(new Set(ranges).size).toBeLessThan(SECONDS / 2);
    // Whoever seeks gives up the request that was under way.
    expect((await seen(page)).errors.filter((error) => error !== 'aborted')).toEqual([]);
    await page.close();
  });

  test('a token that has expired or was forged opens nothing of it', async () => {
    const status = async (target: string) => (await ask(port, target)).status;
    const good = signedPath('all.aac', { video: 'silence' });
    expect(await status(good)).toBe(200);
    expect(await status(signedPath('all.aac', { video: 'silence', expires: 1_700_000_000 }))).toBe(410);
    expect(await status(signedPath('all.aac', { video: 'silence', secret: 'a-forged-secret' }))).toBe(403);
    expect(await status(good.replace('_silence/', '_iKbrdNMcS9ylGuw/'))).toBe(403);
  });

  test('its key is in no environment, command line or log', async () => {
    const { pid } = JSON.parse(lines.find((line) => line.includes('listening')) ?? '{}') as { pid: number };
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    const all = read('environ') + read('cmdline') + lines.join('\n');
    expect(all).not.toContain(key.secret_key);
    expect(all).not.toContain(key.access_key);
  });

  /** An edge of its own, with its key in a file.
   *  @returns what it says before it gives up */
  const refused = (overrides: Readonly<Record<string, string>>, text = credentials(key)): Promise<string> => {
    const file = path.join(folder, 'key');
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    const { VIRGA_EDGE_S3_CREDENTIALS: _, ...others } = settings();
    const env = { ...others, VIRGA_EDGE_PORT: '0', VIRGA_EDGE_S3_CREDENTIALS_FILE: file, ...overrides };
    return new Promise((resolve) => {
      execFile(process.execPath, [bundle()], { env }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
  };

  test('an edge whose bucket or key is wrong says so in one line', async () => {
    const bucket = await refused({ VIRGA_EDGE_ORIGIN: 's3://film' });
    expect(bucket).toBe(
      `The edge's bucket cannot be read: there is no bucket "film" at ${address}: see VIRGA_EDGE_ORIGIN.\n`,
    );
    const stranger = await refused({}, `STRANGER:${key.secret_key}`);
    expect(stranger).toContain('does not know the access key of VIRGA_EDGE_S3_CREDENTIALS');
    const forged = await refused({}, `${key.access_key}:wrong-secret`);
    expect(forged).toContain('the secret key of VIRGA_EDGE_S3_CREDENTIALS is not the one');
    const missing = await refused({ VIRGA_EDGE_S3_ENDPOINT: '' }, 'nonsense');
    expect(missing).toMatch(/VIRGA_EDGE_S3_ENDPOINT must be set.*; VIRGA_EDGE_S3_CREDENTIALS, or the file/);
    for (const text of [bucket, stranger, forged, missing]) {
      expect(text.trim()).not.toContain('\n');
      expect(text).not.toMatch(new RegExp(`${key.secret_key}|wrong-secret|nonsense`));
    }
  });
});
