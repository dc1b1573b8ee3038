import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IpRanges } from '../../signing/src/addresses.ts';
import { FolderOrigin } from './folder-origin.ts';
import { nginxConfig } from './nginx-config.ts';
import { deliveryTable, SECRETS, signedPath } from './testing/delivery-table.ts';
import { makeOrigin, type OriginFolder } from './testing/origin-files.ts';
import { ask, edgeSettings, listen, type Running, startNginx } from './testing/processes.ts';

let files: OriginFolder;
beforeAll(() => {
  files = makeOrigin();
});
afterAll(() => files.remove());

const none = new IpRanges([]);

describe('nginx with a folder', () => {
  let nginx: Running;
  beforeAll(async () => {
    const origin = { folder: files.folder };
    nginx = await startNginx((runDir, port) =>
      nginxConfig(edgeSettings({ secrets: SECRETS }, { port, origin, trustedProxies: none }), { runDir }),
    );
  });
  afterAll(() => nginx.stop());

  deliveryTable(() => nginx.port);
});

describe('nginx with an upstream', () => {
  let upstream: Running;
  let nginx: Running;
  beforeAll(async () => {
    const folder = new FolderOrigin(files.folder);
    upstream = await listen(
      http.createServer((request, response) => {
        const file = decodeURIComponent((request.url ?? '').replace('/media/', '').replace(/\?.*/, ''));
        void folder.serve(file, request, response);
      }),
    );
    const origin = { url: `http://127.0.0.1:${upstream.port}/media` };
    nginx = await startNginx((runDir, port) =>
      nginxConfig(edgeSettings({ secrets: SECRETS }, { port, origin, trustedProxies: none }), { runDir }),
    );
  });
  afterAll(async () => {
    await nginx.stop();
    await upstream.stop();
  });

  deliveryTable(() => nginx.port);
});

test('nginx behind trusted proxies binds tokens to the nearest address that is none of them', async () => {
  const trustedProxies = new IpRanges(['127.0.0.1', '10.0.0.0/8']);
  const origin = { folder: files.folder };
  const nginx = await startNginx((runDir, port) =>
    nginxConfig(edgeSettings({ secrets: SECRETS }, { port, origin, trustedProxies }), { runDir }),
  );
  const status = async (forwarded: string) => {
    const headers = { host: 'cdn-ip.test', 'x-forwarded-for': forwarded };
    return (await ask(nginx.port, signedPath('master.m3u8', { ip: '1.2.3.4' }), { headers })).status;
  };
  expect(await status('9.9.9.9, 1.2.3.4, 10.0.0.7')).toBe(200);
  expect(await status('1.2.3.4, 9.9.9.9')).toBe(403);
  await nginx.stop();
});

test('a folder that nginx would misread is refused', () => {
  const settings = edgeSettings({}, { port: 8090, origin: { folder: '/srv/$HOME' }, trustedProxies: none });
  expect(() => nginxConfig(settings, { runDir: '/run' })).toThrow('/srv/$HOME');
});

test('a bucket is refused, since nginx cannot sign for it', () => {
  const keys = { region: 'us-east-1', accessKey: 'AK', secretKey: 'SK', cacheBytes: 0 };
  const origin = { ...keys, bucket: 'films', prefix: '', endpoint: 'http://127.0.0.1:9000' };
  const settings = edgeSettings({}, { port: 8090, origin, trustedProxies: none });
  expect(() => nginxConfig(settings, { runDir: '/run' })).toThrow('nginx cannot sign requests for a bucket');
});
