import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MadeCertificate,
  makeCertificate,
  makeRevocations,
  payloadOf,
} from '../../server/src/features/secrets/testing/certificates.ts';
import {
  type Backend,
  startBackend,
} from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { get, startLoad } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { startLocalServer } from '../harness/regions.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** Certificates from their upload to what clients and members see of them, through the API and a real HAProxy. */

const PORT = 8443;
const LBS = '/cloud/v1/loadbalancers/1/1';

const server = shared(startLocalServer);
let backend: Backend;
let authority: MadeCertificate;

beforeAll(async () => {
  backend = await startBackend('plain');
  authority = await makeCertificate(['authority.test'], { authority: true });
});

afterAll(async () => {
  await backend.kill();
});

async function secret(payload: object): Promise<string> {
  const task = await server.ended(
    await server.call('POST', '/cloud/v2/secrets/1/1', { body: { name: 'made by a test', payload } }),
  );
  expect(task).toMatchObject({ state: 'FINISHED' });
  return String(task.created_resources?.secrets?.[0]);
}

interface Made {
  readonly id: string;
  readonly address: string;
  readonly listener: string;
}

async function loadBalancer(listener: object, pool?: object): Promise<Made> {
  const body = {
    name: 'tls',
    listeners: [
      {
        name: 'front',
        protocol_port: PORT,
        ...listener,
        pools: pool ? [{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', ...pool }] : [],
      },
    ],
  };
  const task = await server.ended(await server.call('POST', LBS, { body }));
  expect(task).toMatchObject({ state: 'FINISHED', error: null });
  const created = task.created_resources;
  const { vip_address } = (await server.call('GET', `${LBS}/${created?.loadbalancers?.[0]}`)).body;
  return {
    id: String(created?.loadbalancers?.[0]),
    address: vip_address,
    listener: String(created?.listeners?.[0]),
  };
}

/** Subject and issuer of what a client is shown who asks for this name. */
function presented(host: string, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host, port: PORT, servername, rejectUnauthorized: false }, () => {
      resolve(`${socket.getPeerCertificate().serialNumber}`.toLowerCase().replace(/^0+/, ''));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

const members = (...ports: number[]) => ports.map((port) => ({ address: '127.0.0.1', protocol_port: port }));

test('a listener shows the certificate that fits the name asked for, with its chain, and swaps it without a lost request', async () => {
  const [main, other, renewed] = await Promise.all(
    ['a.test', 'b.test', 'a.test'].map((name) => makeCertificate([name], { issuer: authority })),
  );
  if (!main || !other || !renewed) throw new Error('a certificate is missing');
  const [id, sni, next] = await Promise.all(
    [main, other, renewed].map((each) => secret(payloadOf(each, authority.certificate))),
  );
  const { address, listener } = await loadBalancer(
    { protocol: 'TERMINATED_HTTPS', secret_id: id, sni_secret_id: [sni] },
    { members: members(backend.port) },
  );
  expect(await presented(address, 'a.test')).toBe(main.serial);
  expect(await presented(address, 'b.test')).toBe(other.serial);
  expect(await presented(address, 'unknown.test')).toBe(main.serial);
  const verified = await new Promise<boolean>((resolve, reject) => {
    const socket = connect(
      { host: address, port: PORT, servername: 'a.test', ca: authority.certificate },
      () => {
        resolve(socket.authorized);
        socket.destroy();
      },
    );
    socket.once('error', reject);
  });
  expect(verified).toBe(true);

  const load = startLoad(`https://${address}:${PORT}/`);
  const path = `/cloud/v2/lblisteners/1/1/${listener}`;
  const swap = await server.ended(await server.call('PATCH', path, { body: { secret_id: next } }));
  expect(swap).toMatchObject({ state: 'FINISHED', error: null });
  expect(await presented(address, 'a.test')).toBe(renewed.serial);
  const gone = await server.ended(await server.call('PATCH', path, { body: { sni_secret_id: [] } }));
  expect(gone).toMatchObject({ state: 'FINISHED', error: null });
  expect(await presented(address, 'b.test')).toBe(renewed.serial);
  const { failures, requests } = await load.stop();
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(0);
  for (const free of [id, sni]) {
    expect((await server.call('DELETE', `/cloud/v1/secrets/1/1/${free}`)).status).toBe(200);
  }
  expect((await server.call('DELETE', `/cloud/v1/secrets/1/1/${next}`)).status).toBe(409);
});

/** Operating statuses of the members, in their order. */
async function statuses({ id }: Made): Promise<string[]> {
  const { body } = await server.call('GET', `${LBS}/${id}/status`);
  return body.listeners[0].pools[0].members.map(
    (member: { operating_status: string }) => member.operating_status,
  );
}

interface SecureMember {
  readonly port: number;
  /** Serial numbers of the client certificates that it was shown. */
  readonly seen: string[];
  stop(): Promise<void>;
}

async function startSecureMember(own: MadeCertificate): Promise<SecureMember> {
  const seen: string[] = [];
  const web: Server = createServer(
    {
      cert: own.certificate,
      key: own.privateKey,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      seen.push((request.socket as TLSSocket).getPeerCertificate().serialNumber?.toLowerCase() ?? '');
      response.end(own.serial);
    },
  );
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  return {
    port: (web.address() as AddressInfo).port,
    seen,
    stop: () =>
      new Promise((resolve) => {
        web.close(() => resolve());
        web.closeAllConnections();
      }),
  };
}

test('members must chain to the authority, must not be revoked, and are shown the client certificate', async () => {
  const [good, revoked, stranger, client] = await Promise.all([
    makeCertificate(['good.test'], { issuer: authority }),
    makeCertificate(['revoked.test'], { issuer: authority }),
    makeCertificate(['stranger.test']),
    makeCertificate(['client.test'], { issuer: authority }),
  ]);
  const all = await Promise.all([good, revoked, stranger].map(startSecureMember));
  const keyless = { certificate_chain: '', private_key: '' };
  const [ca, crl, own] = await Promise.all([
    secret({ ...keyless, certificate: authority.certificate }),
    secret({ ...keyless, certificate: await makeRevocations(authority, [revoked]) }),
    secret(payloadOf(client)),
  ]);
  const ports = all.map(({ port }) => port);
  const answers = async ({ address }: Made) => {
    const url = `http://${address}:${PORT}/`;
    const replies = await Promise.all(Array.from({ length: 12 }, () => get(url)));
    return [...new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body))].sort();
  };
  const http = { protocol: 'HTTP' };
  const unverified = await loadBalancer(http, { members: members(...ports), secret_id: own });
  expect(await answers(unverified)).toEqual([good.serial, revoked.serial, stranger.serial].sort());
  expect(all[0]?.seen.at(-1)).toContain(client.serial);

  const verified = await loadBalancer(http, { members: members(...ports), ca_secret_id: ca });
  expect(await answers(verified)).toEqual([good.serial, revoked.serial].sort());
  expect(all[0]?.seen.at(-1)).toBe('');

  const tls = { ca_secret_id: ca, crl_secret_id: crl };
  const healthmonitor = { type: 'HTTP', delay: 1, timeout: 1, max_retries: 1, max_retries_down: 1 };
  const checked = await loadBalancer(http, { members: members(...ports), ...tls, healthmonitor });
  expect(await answers(checked)).toEqual([good.serial]);
  await waitUntil(async () => (await statuses(checked)).join() === 'ONLINE,ERROR,ERROR', {
    what: 'the revoked and the strange member to be in ERROR',
  });
  const onlyRevoked = await loadBalancer(http, { members: members(all[1]?.port ?? 0), ...tls });
  expect((await get(`http://${onlyRevoked.address}:${PORT}/`)).status).toBe(503);
  await Promise.all(all.map((member) => member.stop()));
});

test('figures are shown over TLS to those who know the password', async () => {
  const site = await makeCertificate(['figures.test'], { issuer: authority });
  const { address, listener } = await loadBalancer({
    protocol: 'PROMETHEUS',
    secret_id: await secret(payloadOf(site)),
    // The SHA-256 crypt hash of "password".
    user_list: [
      { username: 'scraper', encrypted_password: '$5$figures$aYLkuW31YpjzTpmuSj2GNAc2M/DlRk2iYKZzgltOsjC' },
    ],
  });
  const url = `https://${address}:${PORT}/metrics`;
  expect((await get(url)).status).toBe(401);
  const authorization = `Basic ${Buffer.from('scraper:password').toString('base64')}`;
  expect((await get(url, { headers: { authorization } })).body).toContain(`listener-${listener}`);
  expect(await presented(address, 'figures.test')).toBe(site.serial);
});
