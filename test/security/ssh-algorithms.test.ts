import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'ssh2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../edge/src/testing/processes.ts';
import { Counter } from '../../server/src/providers/local/sftp-storage/serving/counter.ts';
import { Gate } from '../../server/src/providers/local/sftp-storage/serving/gate.ts';
import { readOrMakeKey } from '../../server/src/providers/local/sftp-storage/serving/host-key.ts';
import { SftpServer } from '../../server/src/providers/local/sftp-storage/serving/server.ts';
import { newFolder } from '../harness/leftovers.ts';

/** What a stranger may agree on with an SFTP storage, before anybody knows who it is. */

let server: SftpServer;
let port: number;

beforeAll(async () => {
  const folder = newFolder('server');
  const file = (name: string) => path.join(folder, name);
  for (const name of ['seen', 'traffic']) writeFileSync(file(name), '');
  mkdirSync(file('data'));
  port = await freePort();
  server = new SftpServer({
    host: '127.0.0.1',
    port,
    data: file('data'),
    hostKey: readOrMakeKey(file('host.key')),
    gate: new Gate(file('access'), openSync(file('seen'), 'r+')),
    counter: new Counter(openSync(file('traffic'), 'a')),
  });
  server.listen();
});
afterAll(() => server.close());

/** @returns why the connection ended */
function connect(algorithms: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const client = new Client();
  return new Promise((resolve) => {
    client.on('error', (error: Error) => resolve(error.message));
    client.on('ready', () => resolve('signed in'));
    client.connect({ host: '127.0.0.1', port, username: 'nobody', password: 'nothing', algorithms });
  });
}

test.each([
  ['hmac', 'hmac-sha1'],
  ['hmac', 'hmac-sha1-etm@openssh.com'],
  ['hmac', 'hmac-md5'],
  ['kex', 'diffie-hellman-group14-sha1'],
  ['kex', 'diffie-hellman-group1-sha1'],
  ['cipher', 'aes128-cbc'],
  ['cipher', '3des-cbc'],
  ['compress', 'zlib'],
  ['compress', 'zlib@openssh.com'],
  ['serverHostKey', 'ssh-rsa'],
])('%s %s is not agreed on', async (kind, name) => {
  // Ciphers with a MAC of their own would never ask for one.
  const withMac = kind === 'hmac' ? { cipher: ['aes128-ctr'] } : {};
  expect(await connect({ ...withMac, [kind]: [name] })).toMatch(/no matching|negotiation|Handshake failed/i);
});

test('a client of today gets as far as its password', async () => {
  expect(await connect({})).toContain('authentication');
});
