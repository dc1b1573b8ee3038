import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type {
  DesiredCertificate,
  DesiredLoadBalancer,
} from '../../server/src/features/load-balancers/port.ts';
import {
  makeCertificate,
  makeRevocations,
  payloadOf,
} from '../../server/src/features/secrets/testing/certificates.ts';
import {
  desiredListener,
  desiredLoadBalancer,
} from '../../server/src/providers/openstack/testing/desired.ts';
import { made } from '../compat/life-cycles/scene.ts';
import type { TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';
import { access, behind } from './calls.ts';
import {
  EMPTY,
  emptyCloud,
  inventory,
  LBS,
  REGION,
  secretRefs,
  startCloudServer,
  takeTurns,
} from './cloud.ts';
import { provider } from './provider.ts';

/** TLS of load balancers, with the key manager Barbican. Octavia reads what is kept there, and refuses what it cannot. */

const LISTENERS = `/cloud/v2/lblisteners/1/${REGION}`;
const theListener = async () => (await behind('load-balancer', 'GET', '/listeners')).listeners[0];
const thePool = async () => (await behind('load-balancer', 'GET', '/pools')).pools[0];

/** Certificates of authorities, or a list of what they have revoked. */
const bare = (certificate: string) => ({ certificate, certificate_chain: '', private_key: '' });

/** What Octavia wants to read a certificate with is kept in this form. */
const typeOf = async (ref: string) =>
  (await behind('key-manager', 'GET', `/secrets/${ref.split('/').at(-1)}`)).content_types.default;

describe.skipIf(!access)('TLS of load balancers of OpenStack (npm run openstack -- up starts one)', () => {
  let server: TestServer;
  takeTurns();
  beforeAll(async () => {
    server = await startCloudServer('amphora');
  });
  afterAll(() => server.close());

  const kept = (name: string, payload: object) =>
    made(server, `/cloud/v2/secrets/1/${REGION}`, { name, payload }, 'secrets');
  const done = async (method: string, url: string, body?: object) => {
    const ended = await server.ended(await server.call(method, url, { body }));
    expect(ended).toMatchObject({ state: 'FINISHED', error: null });
    return ended;
  };

  test('certificates are kept, replaced and deleted with what names them', async () => {
    const authority = await makeCertificate(['authority.test'], { authority: true });
    const site = await makeCertificate(['site.test'], { issuer: authority });
    const other = await makeCertificate(['other.test'], { rsaBits: 2048 });
    const next = await makeCertificate(['site.test'], { issuer: authority });
    const [first, sni, renewed, clients] = [
      await kept('site', payloadOf(site, authority.certificate)),
      await kept('other', payloadOf(other)),
      await kept('site of next year', payloadOf(next, authority.certificate)),
      await kept('clients', bare(authority.certificate)),
    ];
    const https = { name: 'https', protocol: 'TERMINATED_HTTPS', protocol_port: 443, normalize_path: false };
    const created = await done('POST', LBS, {
      name: 'web',
      listeners: [{ ...https, secret_id: first, sni_secret_id: [sni] }],
    });
    const id = created.created_resources?.loadbalancers?.[0];
    const listener = String(created.created_resources?.listeners?.[0]);
    const before = await theListener();
    expect(before).toMatchObject({
      protocol: 'TERMINATED_HTTPS',
      sni_container_refs: [expect.any(String)],
      client_authentication: 'NONE',
      tls_versions: ['TLSv1.2', 'TLSv1.3'],
      alpn_protocols: ['h2', 'http/1.1'],
    });
    expect([...(await secretRefs())].sort()).toEqual(
      [before.default_tls_container_ref, ...before.sni_container_refs].sort(),
    );
    expect(await typeOf(before.default_tls_container_ref)).toBe('application/octet-stream');

    await done('PATCH', `${LISTENERS}/${listener}`, { secret_id: renewed });
    const after = await theListener();
    expect(after.id).toBe(before.id);
    expect(after.sni_container_refs).toEqual(before.sni_container_refs);
    expect(await secretRefs()).toHaveLength(2);
    expect(await secretRefs()).not.toContain(before.default_tls_container_ref);

    const policy = { listener_id: listener, name: 'known', action: 'REJECT' };
    const policies = `/cloud/v1/l7policies/1/${REGION}`;
    const rejected = await done('POST', policies, policy);
    const rules = `${policies}/${rejected.created_resources?.l7polices?.[0]}/rules`;
    const rule = { type: 'SSL_CONN_HAS_CERT', compare_type: 'EQUAL_TO', value: 'True', invert: true };
    const early = await server.call('POST', rules, { body: rule });
    expect(early).toMatchObject({ status: 400 });
    expect(JSON.stringify(early.body)).toMatch(/sni_secret_id.*must name certificates of authorities/);
    await done('PATCH', `${LISTENERS}/${listener}`, { sni_secret_id: [clients] });
    await done('POST', rules, rule);
    const asking = await theListener();
    expect(asking).toMatchObject({ client_authentication: 'OPTIONAL', sni_container_refs: [] });
    expect(await typeOf(asking.client_ca_tls_container_ref)).toBe('text/plain');

    await done('DELETE', `/cloud/v1/lblisteners/1/${REGION}/${listener}`);
    expect(await inventory()).toMatchObject({ load_balancers: 1, listeners: 0, secrets: 0 });
    await done('DELETE', `${LBS}/${id}`);
    expect(await inventory()).toEqual(EMPTY);
  });

  test('members are spoken to by TLS, with authorities, revocations and a certificate, until no longer', async () => {
    const authority = await makeCertificate(['authority.test'], { authority: true });
    const client = await makeCertificate(['client.test'], { issuer: authority });
    const [ca, crl, own] = [
      await kept('authority', bare(authority.certificate)),
      await kept('revoked', bare(await makeRevocations(authority, [client]))),
      await kept('client', payloadOf(client)),
    ];
    const pool = {
      name: 'servers',
      protocol: 'HTTP',
      lb_algorithm: 'ROUND_ROBIN',
      secret_id: own,
      ca_secret_id: ca,
      crl_secret_id: crl,
    };
    const http = { name: 'http', protocol: 'HTTP', protocol_port: 80, normalize_path: false, pools: [pool] };
    const created = await done('POST', LBS, { name: 'web', listeners: [http] });
    expect(await thePool()).toMatchObject({
      tls_enabled: true,
      ca_tls_container_ref: expect.any(String),
      crl_container_ref: expect.any(String),
      tls_container_ref: expect.any(String),
      alpn_protocols: ['http/1.1'],
    });
    expect(await secretRefs()).toHaveLength(3);
    const url = `/cloud/v2/lbpools/1/${REGION}/${created.created_resources?.pools?.[0]}`;
    await done('PATCH', url, { secret_id: null, ca_secret_id: null, crl_secret_id: null });
    expect(await thePool()).toMatchObject({ tls_enabled: false, ca_tls_container_ref: null });
    expect(await secretRefs()).toEqual([]);
    await done('DELETE', `${LBS}/${created.created_resources?.loadbalancers?.[0]}`);
    expect(await inventory()).toEqual(EMPTY);
  });
});

describe.skipIf(!access)('failures of the key manager (npm run openstack -- up starts one)', () => {
  takeTurns();
  afterEach(emptyCloud);

  const isKeys = (input: unknown) => new URL(String(input)).port === '9311';
  const secure = async (): Promise<DesiredLoadBalancer> => {
    const { certificate, privateKey } = await makeCertificate(['site.test']);
    const bundle: DesiredCertificate = { id: randomUUID(), certificate, chain: null, privateKey };
    const https = desiredListener({ protocol: 'TERMINATED_HTTPS', certificates: [bundle] });
    return desiredLoadBalancer({ listeners: [https] });
  };

  test('a lost answer to the creation of a secret makes one secret, not two', async () => {
    let lost = 0;
    const { converge, remove, objects } = provider({
      hasKeyManager: true,
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        if (!isKeys(input) || init?.method !== 'POST' || lost > 0) return answer;
        lost++;
        throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
      },
    });
    await converge(await secure());
    expect(lost).toBe(1);
    expect(await secretRefs()).toEqual([(await theListener()).default_tls_container_ref]);
    // Nor is anything left when it was forgotten what lives where.
    objects.map.clear();
    await waitUntil(async () => (await remove()).ready, { what: 'the deletion', intervalMs: 200 });
    expect(await inventory()).toEqual(EMPTY);
  });

  test('while the key manager does not answer, work waits and says so', async () => {
    let isDown = true;
    const { converge, apply } = provider({
      hasKeyManager: true,
      fetch: async (input, init) => {
        if (isDown && isKeys(input))
          throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
        return fetch(input, init);
      },
    });
    const desired = await secure();
    const waits = {
      ready: false,
      step: expect.stringMatching(/waiting for the region: .*9311 does not answer/),
    };
    const said = await waitUntil(
      async () => {
        const progress = await apply(desired);
        return !progress.ready && progress.step?.includes('9311') ? progress : undefined;
      },
      { what: 'the key manager to be asked', intervalMs: 100 },
    );
    expect(said).toMatchObject(waits);
    expect(await secretRefs()).toEqual([]);
    isDown = false;
    await converge(desired);
    expect(await secretRefs()).toHaveLength(1);
  });

  test('a secret that somebody deletes, and one too many, are put right by the next change', async () => {
    const { converge } = provider({ hasKeyManager: true });
    const desired = await secure();
    await converge(desired);
    const [before = ''] = await secretRefs();
    await behind('key-manager', 'DELETE', `/secrets/${before.split('/').at(-1)}`);
    const more = { name: `virga:${desired.id}`, payload: 'more', payload_content_type: 'text/plain' };
    await behind('key-manager', 'POST', '/secrets', more);
    const steps = (await converge(desired)).filter((each) => each !== 'waiting for the load balancer');
    expect(steps).toEqual(['secrets: 1 new', 'listener: default_tls_container_ref']);
    expect(await secretRefs()).toEqual([(await theListener()).default_tls_container_ref]);
  });

  test('a secret that somebody deletes comes back without any change', async () => {
    const { converge, look } = provider({ hasKeyManager: true });
    const desired = await secure();
    await converge(desired);
    const [before = ''] = await secretRefs();
    await behind('key-manager', 'DELETE', `/secrets/${before.split('/').at(-1)}`);
    const isBack = async () => {
      const [ref] = await secretRefs();
      return ref !== undefined && (await theListener()).default_tls_container_ref === ref;
    };
    await look(isBack, desired);
    expect(await secretRefs()).toHaveLength(1);
    expect(await secretRefs()).not.toContain(before);
  });

  test('what the key manager refuses is not quoted, and neither is what was sent', async () => {
    const { converge } = provider({
      hasKeyManager: true,
      fetch: async (input, init) =>
        isKeys(input) && init?.method === 'POST'
          ? new Response(JSON.stringify({ title: 'Bad Request', description: String(init.body) }), {
              status: 400,
            })
          : fetch(input, init),
    });
    await expect(converge(await secure())).rejects.toThrow(
      /^the key manager did not keep a certificate: the answer was 400$/,
    );
  });
});
