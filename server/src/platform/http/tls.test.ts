import { copyFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder } from '../../../../test/harness/leftovers.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { waitUntil } from '../../../../test/harness/wait.ts';
import { makeCertificate } from '../../features/secrets/testing/certificates.ts';

let server: TestServer;
let port: number;
const folder = newFolder('server');
const lines: { msg: string }[] = [];
const files = { certificate: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };

async function writePair(name: string): Promise<void> {
  const { certificate, privateKey } = await makeCertificate([name]);
  writeFileSync(path.join(folder, `${name}.key`), privateKey);
  writeFileSync(path.join(folder, `${name}.cert`), certificate);
}

function use(name: string): void {
  copyFileSync(path.join(folder, `${name}.key`), files.key);
  copyFileSync(path.join(folder, `${name}.cert`), files.certificate);
}

beforeAll(async () => {
  await writePair('first.test');
  await writePair('second.test');
  use('first.test');
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  server = await startTestServer({ worker: false, tls: files, log });
  await server.api.listen({ host: '127.0.0.1', port: 0 });
  port = (server.api.server.address() as AddressInfo).port;
});

afterAll(() => server.close());

/** The name in the certificate that a new connection is shown, when the answer is 200. */
const shown = () =>
  new Promise<string>((resolve, reject) => {
    const options = { port, path: '/healthz', rejectUnauthorized: false, agent: false };
    get({ host: '127.0.0.1', ...options }, (reply) => {
      const { subject } = (reply.socket as TLSSocket).getPeerCertificate();
      reply.resume().on('end', () => resolve(reply.statusCode === 200 ? String(subject.CN) : ''));
    }).on('error', reject);
  });

test('the API speaks TLS, and a certificate that has changed is used without a restart', async () => {
  expect(await shown()).toBe('first.test');
  writeFileSync(files.certificate, 'half a file');
  await waitUntil(() => lines.some(({ msg }) => msg.includes('the old one stays')), {
    what: 'the broken file to be seen',
  });
  expect(await shown()).toBe('first.test');
  use('second.test');
  await waitUntil(async () => (await shown()) === 'second.test', { what: 'the new certificate' });
});
