import { spawnSync } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { IpRanges } from '../../kernel/ip.ts';

const lines: string[] = [];
const log = pino({ level: 'error' }, { write: (line) => lines.push(line) });
const direct = shared(() => startTestServer({ worker: false, log, accessLog: true, rateLimit: 1000 }));
const proxied = shared(() =>
  startTestServer({ worker: false, log, rateLimit: 1000, trustedProxies: new IpRanges(['127.0.0.0/8']) }),
);

/** Sends a request and resets the connection, both before the server, which waits for this, accepts it. */
function sendAndReset(port: number, head: string): void {
  const script = `
    const socket = require('node:net').connect(${port}, '127.0.0.1', () => {
      socket.write(${JSON.stringify(head)}, () => socket.resetAndDestroy());
    });`;
  expect(spawnSync(process.execPath, ['-e', script]).status).toBe(0);
}

describe.each([
  ['from anywhere', direct],
  ['through a trusted proxy', proxied],
] as const)('a connection %s that is reset before it is accepted', (_where, server) => {
  test.each([
    ['with a token', 'GET /cloud/v1/projects', 'Authorization: APIKey nonsense\r\n'],
    ['without a token', 'GET /iam/users/me', ''],
    ['at a public path', 'GET /healthz', ''],
    ['at an unknown path', 'GET /nothing', ''],
    [
      'with a change',
      'POST /iam/auth/jwt/login',
      'Content-Type: application/json\r\nContent-Length: 41\r\n',
      '{"username":"a@b.test","password":"secret"}'.slice(0, 41),
    ],
  ])('is no error: a request %s', async (_name, target, headers, body = '') => {
    if (!server.api.server.listening) await server.api.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.api.server.address() as AddressInfo;
    const seen = new Promise((resolve) => server.api.server.once('request', resolve));
    sendAndReset(port, `${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`);
    await seen;
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect(lines).toEqual([]);
  });
});
