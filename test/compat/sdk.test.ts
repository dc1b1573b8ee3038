import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { installSdk, runPart } from './sdk.ts';

/** The SDK that people have works unchanged: it gets nothing but an address and a token. */

const { python, missing } = installSdk();

describe.skipIf(missing !== undefined)(`the public Python SDK${missing ? ` (${missing})` : ''}`, () => {
  let server: TestServer;
  let url: string;

  beforeAll(async () => {
    server = await startTestServer();
    await server.api.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(server.api.server.address() as AddressInfo).port}`;
  });

  afterAll(() => server.close());

  test.concurrent.each([
    'load_balancers',
    'listeners',
    'pools',
    'l7_policies',
    'floating_ips',
    'networks',
    'volumes',
    'instances',
    'security_groups',
    'placement_groups',
    'accounts',
  ])(
    'lives the whole life of %s',
    async (part) => {
      expect(await runPart(String(python), part, url, server.tokens.Administrators)).toBe('done');
    },
    120_000,
  );
});
