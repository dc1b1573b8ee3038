import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../server/src/features/secrets/testing/certificates.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { keyOf, operationsOf } from './known-calls.ts';
import { installSdk, routesOfSdk, SdkRunner, VERSIONS } from './sdk.ts';

/** The SDK that people have works unchanged: it gets nothing but an address and a token. */

const PARTS = [
  'load_balancers',
  'listeners',
  'pools',
  'l7_policies',
  'floating_ips',
  'networks',
  'volumes',
  'snapshot_schedules',
  'instances',
  'security_groups',
  'placement_groups',
  'accounts',
  'routers',
  'shared_addresses',
  'machines',
  'members',
  'clusters',
  'postgresql',
  'object_storage',
  'sftp_storage',
  'belongings',
  'people',
  'reports',
  'pages',
  'errors',
  'iterators',
  'asynchronous',
];

describe.each(VERSIONS)('the public Python SDK %s', (version) => {
  const { python, missing } = installSdk(version);
  const tried = test.skipIf(missing !== undefined);
  const reason = missing ? ` (${missing})` : '';
  let server: TestServer;
  let folder: string;
  let sdk: SdkRunner | undefined;

  beforeAll(async () => {
    server = await startTestServer();
    await server.api.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(server.api.server.address() as AddressInfo).port}`;
    folder = mkdtempSync(path.join(os.tmpdir(), 'virga-sdk-'));
    const seen = path.join(folder, 'seen');
    writeFileSync(seen, '');
    const { certificate, privateKey } = await makeCertificate(['sdk.virga.test']);
    const env = { SDK_SEEN: seen, SDK_CERTIFICATE: certificate, SDK_PRIVATE_KEY: privateKey };
    if (python) sdk = new SdkRunner(python, { url, token: server.tokens.Administrators, env });
  });

  afterAll(async () => {
    await sdk?.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  tried.concurrent.each(PARTS)(
    `lives the whole life of %s${reason}`,
    async (part) => {
      expect(await sdk?.run(part)).toBe('done');
    },
    120_000,
  );

  tried(`has called everything that it knows and that is served${reason}`, () => {
    const lines = new Set(readFileSync(path.join(folder, 'seen'), 'utf8').split('\n'));
    const calls = [...lines].map((line) => line.split(' '));
    const isCalled = ({ method, path: template }: { method: string; path: string }) => {
      const pattern = new RegExp(`^${template.replace(/\{\w*\}/g, '[^/]+')}$`);
      return calls.some(([verb, called]) => verb === method && pattern.test(called ?? ''));
    };
    const served = operationsOf(server.app.document);
    const routes = routesOfSdk(String(python)).filter((route) => served.has(keyOf(route)));
    expect(routes.filter((route) => !isCalled(route)).map(({ name }) => name)).toEqual([]);
  });
});
