import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as secure } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MadeCertificate,
  makeCertificate,
  payloadOf,
} from '../../server/src/features/secrets/testing/certificates.ts';
import {
  type Backend,
  startBackend,
} from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { startLoad } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { createdBy } from '../harness/project.ts';
import { startLocalServer } from '../harness/regions.ts';
import type { Reply } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** L7 rules about the certificates of real TLS clients, through the API and a real HAProxy. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const POLICIES = '/cloud/v1/l7policies/1/1';
/** With authorities, without authorities, without rules. */
const [KNOWING, TRUSTLESS, PLAIN] = [8443, 8444, 8445];

const server = shared(startLocalServer);
let backend: Backend;
let address: string;
let listeners: ReadonlyMap<number, string>;
let authority: MadeCertificate;
let clients: Readonly<Record<'nobody' | 'stranger' | 'known' | 'expired', MadeCertificate | null>>;

beforeAll(async () => {
  backend = await startBackend('one');
  authority = await makeCertificate(['Clients'], { authority: true });
  clients = {
    nobody: null,
    stranger: await makeCertificate(['alice.test']),
    known: await makeCertificate(['alice.test'], { issuer: authority }),
    expired: await makeCertificate(['alice.test'], {
      issuer: authority,
      notBefore: new Date('2020-01-01T00:00:00Z'),
      notAfter: new Date('2021-01-01T00:00:00Z'),
    }),
  };
  const site = await secret(payloadOf(await makeCertificate(['site.test'])));
  const clientsOf = await secret({
    certificate: authority.certificate,
    certificate_chain: '',
    private_key: '',
  });
  const members = [{ address: '127.0.0.1', protocol_port: backend.port }];
  const front = (port: number, more: object = {}) => ({
    name: `https-${port}`,
    protocol: 'TERMINATED_HTTPS',
    protocol_port: port,
    secret_id: site,
    pools: [{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', members }],
    ...more,
  });
  const body = {
    name: 'web',
    listeners: [front(KNOWING, { sni_secret_id: [clientsOf] }), front(TRUSTLESS), front(PLAIN)],
  };
  const created = await done(server.call('POST', LBS, { body }));
  address = (await server.call('GET', `${LBS}/${created?.loadbalancers?.[0]}`)).body.vip_address;
  const ids = await Promise.all(
    (created?.listeners ?? []).map(async (id) => {
      const listener = await server.call('GET', `/cloud/v1/lblisteners/1/1/${id}`);
      return [Number(listener.body.protocol_port), String(id)] as const;
    }),
  );
  listeners = new Map(ids);
});

afterAll(async () => {
  await backend.kill();
});

const done = (call: Promise<Reply>) => createdBy(server, call);

async function secret(payload: object): Promise<string> {
  const created = await done(
    server.call('POST', '/cloud/v2/secrets/1/1', { body: { name: 'some', payload } }),
  );
  return String(created?.secrets?.[0]);
}

/** A policy on this listener that refuses what its one rule matches. */
async function refusing(
  port: number,
  rule: object,
): Promise<{ put(rule: object): Promise<void>; id: string }> {
  const body = { listener_id: listeners.get(port), action: 'REJECT' };
  const id = String((await done(server.call('POST', POLICIES, { body })))?.l7polices?.[0]);
  const only = (await done(server.call('POST', `${POLICIES}/${id}/rules`, { body: rule })))?.l7rules?.[0];
  return {
    id,
    put: async (change) => {
      await done(server.call('PUT', `${POLICIES}/${id}/rules/${only}`, { body: change }));
    },
  };
}

/** Status of a request with this certificate. */
function ask(port: number, client: MadeCertificate | null): Promise<number> {
  return new Promise((resolve, reject) => {
    const shown = client ? { cert: client.certificate, key: client.privateKey } : {};
    const options = { host: address, port, agent: false, rejectUnauthorized: false, ...shown } as const;
    const outgoing = request(options, (response) => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    outgoing.on('error', reject).end();
  });
}

/** Which of the clients the policy refuses. */
async function refused(port: number): Promise<string[]> {
  const found: string[] = [];
  for (const [name, client] of Object.entries(clients)) {
    const status = await ask(port, client);
    if (status === 403) found.push(name);
    else expect([name, status]).toEqual([name, 200]);
  }
  return found;
}

const CERTIFICATE_REQUEST = 13;

/** Whether the listener asks for a certificate: in TLS 1.2 that goes over the wire in the clear. */
function asks(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const heard: Buffer[] = [];
    const socket = connect(port, address);
    const tls = secure({
      socket: listening(socket, heard),
      maxVersion: 'TLSv1.2',
      rejectUnauthorized: false,
    });
    tls.on('error', reject).once('secureConnect', () => {
      tls.destroy();
      socket.destroy();
      resolve(handshakeTypes(Buffer.concat(heard)).includes(CERTIFICATE_REQUEST));
    });
  });
}

function listening(socket: Socket, heard: Buffer[]): Duplex {
  const duplex = new Duplex({
    read: () => undefined,
    write: (bytes, _encoding, callback) => socket.write(bytes, callback),
  });
  socket.on('data', (bytes: Buffer) => {
    heard.push(bytes);
    duplex.push(bytes);
  });
  socket.on('error', () => undefined);
  return duplex;
}

/** Types of the handshake messages before encryption begins (RFC 5246, 6.2.1 and 7.4). */
function handshakeTypes(bytes: Buffer): number[] {
  const messages: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === 22; at += 5 + bytes.readUInt16BE(at + 3)) {
    messages.push(bytes.subarray(at + 5, at + 5 + bytes.readUInt16BE(at + 3)));
  }
  const text = Buffer.concat(messages);
  const types: number[] = [];
  for (let at = 0; at + 4 <= text.length; at += 4 + text.readUIntBE(at + 1, 3)) types.push(text[at] ?? 0);
  return types;
}

const shown = { type: 'SSL_CONN_HAS_CERT', compare_type: 'EQUAL_TO', value: 'True' };
const result = (value: string) => ({ type: 'SSL_VERIFY_RESULT', compare_type: 'EQUAL_TO', value });
const name = (compare_type: string, value: string) => {
  return { type: 'SSL_DN_FIELD', key: 'CN', compare_type, value };
};
const [EXPIRED, SELF_SIGNED] = ['10', '18'];

test('nobody is asked but where a rule wants to know, and as long as it does', async () => {
  const load = startLoad(`https://${address}:${KNOWING}/`, 2);
  expect(await asks(KNOWING)).toBe(false);
  const { id } = await refusing(KNOWING, { type: 'PATH', compare_type: 'EQUAL_TO', value: '/nowhere' });
  expect(await asks(KNOWING)).toBe(false);
  const rule = await done(
    server.call('POST', `${POLICIES}/${id}/rules`, { body: { ...shown, invert: false } }),
  );
  expect(await asks(KNOWING)).toBe(true);
  expect(await asks(PLAIN)).toBe(false);
  await done(server.call('DELETE', `${POLICIES}/${id}/rules/${rule?.l7rules?.[0]}`));
  expect(await asks(KNOWING)).toBe(false);
  await done(server.call('DELETE', `${POLICIES}/${id}`));
  expect((await load.stop()).failures).toEqual([]);
});

test('every rule about certificates sees what clients show, measured against the authorities', async () => {
  const { id, put } = await refusing(KNOWING, shown);
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [shown, ['stranger', 'known', 'expired']],
    [{ ...shown, invert: true }, ['nobody']],
    [result('0'), ['nobody', 'known']],
    [{ ...result('0'), invert: true }, ['stranger', 'expired']],
    [result(SELF_SIGNED), ['stranger']],
    [result(EXPIRED), ['expired']],
    [name('EQUAL_TO', 'alice.test'), ['stranger', 'known', 'expired']],
    [name('EQUAL_TO', 'alice'), []],
    [name('STARTS_WITH', 'alice'), ['stranger', 'known', 'expired']],
    [name('STARTS_WITH', 'test'), []],
    [name('ENDS_WITH', '.test'), ['stranger', 'known', 'expired']],
    [name('ENDS_WITH', 'alice'), []],
    [name('CONTAINS', 'ice.te'), ['stranger', 'known', 'expired']],
    [name('CONTAINS', 'bob'), []],
    [name('REGEX', '^a.*t$'), ['stranger', 'known', 'expired']],
    [name('REGEX', '^b'), []],
    [{ ...name('EQUAL_TO', 'alice.test'), invert: true }, ['nobody']],
  ];
  for (const [rule, who] of cases) {
    await put({ invert: false, ...rule });
    expect([rule, await refused(KNOWING)]).toEqual([rule, who]);
  }
  await done(server.call('DELETE', `${POLICIES}/${id}`));
});

test('without authorities clients are asked, and no certificate is trusted', async () => {
  const { id, put } = await refusing(TRUSTLESS, shown);
  expect(await refused(TRUSTLESS)).toEqual(['stranger', 'known', 'expired']);
  await put({ ...result('0'), invert: true });
  expect(await refused(TRUSTLESS)).toEqual(['stranger', 'known', 'expired']);
  await done(server.call('DELETE', `${POLICIES}/${id}`));
});

test('authorities cannot be the certificate that a listener shows', async () => {
  const id = await secret({ certificate: authority.certificate, certificate_chain: '', private_key: '' });
  const reply = await server.call('PATCH', `/cloud/v2/lblisteners/1/1/${listeners.get(PLAIN)}`, {
    body: { secret_id: id },
  });
  expect(reply.status).toBe(400);
  expect(reply.body.invalid_fields.secret_id[0]).toContain('needed is a certificate with its private key');
});
