import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IpRanges } from '../../signing/src/addresses.ts';
import { waitUntil } from '../../test/harness/wait.ts';
import { FolderOrigin } from './folder-origin.ts';
import type { Origin } from './origin.ts';
import { createEdge, type EdgeOptions } from './server.ts';
import { deliveryTable, SECRETS, signedPath } from './testing/delivery-table.ts';
import { ACCOUNT, makeOrigin, type OriginFolder, PLAYLIST, SEGMENT, VIDEO } from './testing/origin-files.ts';
import { ask, freePort, listen, type Running } from './testing/processes.ts';
import { UpstreamOrigin } from './upstream-origin.ts';
import { UsageCounter } from './usage.ts';

let files: OriginFolder;

beforeAll(() => {
  files = makeOrigin();
});

afterAll(() => files.remove());

const usage = new UsageCounter();

function edge(origin: Origin, overrides: Partial<EdgeOptions> = {}): Promise<Running> {
  const server = createEdge({
    accountId: ACCOUNT,
    secrets: SECRETS,
    ipBoundHost: 'cdn-ip.test',
    trustedProxies: new IpRanges([]),
    origin,
    usage,
    now: () => Date.now() / 1000,
    log: (message, error) => process.stderr.write(`${message}: ${error}\n`),
    ...overrides,
  });
  return listen(server);
}

describe('an edge with a folder', () => {
  let running: Running;
  beforeAll(async () => {
    running = await edge(new FolderOrigin(files.folder));
  });
  afterAll(() => running.stop());

  deliveryTable(() => running.port);

  test('serves a live playlist as it changes, and no longer once it is gone', async () => {
    const folder = path.join(files.folder, 'cmaf', `${ACCOUNT}_changing`);
    const file = path.join(folder, 'live.m3u8');
    mkdirSync(folder, { recursive: true });
    const target = signedPath('live.m3u8', { video: 'changing', folder: 'cmaf' });
    const body = async () => (await ask(running.port, target)).body.toString();
    writeFileSync(file, 'one');
    expect(await body()).toBe('one');
    writeFileSync(file, 'two');
    // The same length and second: only the finer part of the time differs.
    utimesSync(file, new Date(), new Date());
    await waitUntil(async () => (await body()) === 'two', { what: 'the new playlist' });
    rmSync(file);
    await waitUntil(async () => (await ask(running.port, target)).status === 404, { what: 'it to be gone' });
  });

  test('counts requests and bytes of each video, and nothing that was refused', async () => {
    usage.drain();
    await ask(running.port, signedPath('master.m3u8'));
    await ask(running.port, signedPath('seg1.ts'), { headers: { range: 'bytes=0-999' } });
    await ask(running.port, signedPath('seg1.ts'));
    await ask(running.port, signedPath('seg1.ts', { secret: 'another-secret' }));
    await ask(running.port, signedPath('missing.ts'));
    const counted = await waitUntil(
      () => {
        const counts = usage.drain();
        return counts.length > 0 && counts;
      },
      { what: 'counts' },
    );
    const bytes = PLAYLIST.length + 1000 + SEGMENT.length;
    expect(counted).toEqual([{ video: `${ACCOUNT}_${VIDEO}`, requests: 3, bytes }]);
  });
});

describe('an edge with an upstream', () => {
  let upstream: Running;
  let running: Running;
  const requested: string[] = [];
  beforeAll(async () => {
    // The simplest origin there is: the folder again, under a path, without any tokens.
    const folder = new FolderOrigin(files.folder);
    upstream = await listen(
      http.createServer((request, response) => {
        requested.push(`${request.url} ${JSON.stringify(request.headers)}`);
        const file = decodeURIComponent((request.url ?? '').replace('/media/', '').replace(/\?.*/, ''));
        void folder.serve(file, request, response);
      }),
    );
    running = await edge(new UpstreamOrigin(`http://127.0.0.1:${upstream.port}/media`));
  });
  afterAll(async () => {
    await running.stop();
    await upstream.stop();
  });

  deliveryTable(() => running.port);

  test('the upstream never learns a token', async () => {
    const target = signedPath('master.m3u8');
    await ask(running.port, target);
    expect(requested.length).toBeGreaterThan(10);
    expect(requested.join('\n')).not.toContain(target.split('/')[3]);
    expect(requested.join('\n')).not.toMatch(/md5=|expires=/);
  });

  test('the upstream is sent the query, which low-latency playlists need', async () => {
    await ask(running.port, `${signedPath('master.m3u8')}?_HLS_msn=77`);
    expect(requested.at(-1)).toContain('master.m3u8?_HLS_msn=77');
  });

  test('an upstream that is not there is a 502', async () => {
    const lonely = await edge(new UpstreamOrigin(`http://127.0.0.1:${await freePort()}`));
    expect((await ask(lonely.port, signedPath('master.m3u8'))).status).toBe(502);
    await lonely.stop();
  });
});

describe('the edges of a token', () => {
  let running: Running;
  let now = 1_743_167_062;
  beforeAll(async () => {
    const trustedProxies = new IpRanges(['127.0.0.1', '10.0.0.0/8']);
    running = await edge(new FolderOrigin(files.folder), { now: () => now, trustedProxies });
  });
  afterAll(() => running.stop());

  test('it is valid to the end of its last second', async () => {
    const target = signedPath('master.m3u8', { expires: 1_743_167_062 });
    const statusAt = async (at: number) => {
      now = at;
      return (await ask(running.port, target)).status;
    };
    expect(await statusAt(1_743_167_061)).toBe(200);
    expect(await statusAt(1_743_167_062.999)).toBe(200);
    expect(await statusAt(1_743_167_063)).toBe(410);
    now = 1_743_167_062;
  });

  test('behind trusted proxies it is bound to the nearest address that is none of them', async () => {
    const target = signedPath('master.m3u8', { ip: '1.2.3.4', expires: now });
    const status = async (forwarded: string) => {
      const headers = { host: 'CDN-IP.test', 'x-forwarded-for': forwarded };
      return (await ask(running.port, target, { headers })).status;
    };
    expect(await status('1.2.3.4')).toBe(200);
    expect(await status('9.9.9.9, 1.2.3.4, 10.0.0.7')).toBe(200);
    expect(await status('1.2.3.4, 9.9.9.9')).toBe(403);
    expect(await status('::ffff:1.2.3.4')).toBe(200);
  });
});
