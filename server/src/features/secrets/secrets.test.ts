import { webcrypto } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { finished } from '../../../../test/harness/project.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { raw, sql } from '../../platform/database/sql.ts';
import { Cipher } from '../../platform/secrets/cipher.ts';
import { newKey } from '../../platform/secrets/key-file.ts';
import { addKeyId } from '../../platform/secrets/master-keys.ts';
import { loadX509 } from '../../platform/x509/library.ts';
import { resealSecrets, SecretReader } from './index.ts';
import {
  type CertificateOptions,
  type MadeCertificate,
  makeCertificate,
  makeRevocations,
  payloadOf,
} from './testing/certificates.ts';
import * as version1 from './testing/version-1.ts';

const ALL = '/cloud/v1/secrets/1/2';
const NEW = '/cloud/v2/secrets/1/2';
const LBS = '/cloud/v1/loadbalancers/1/2';
const UNKNOWN = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';

let server: TestServer;
const oldKey = newKey();
let logged = '';
let root: MadeCertificate;
let middle: MadeCertificate;
let site: MadeCertificate;

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => (logged += line) });
  server = await startTestServer({ log, masterKeys: [oldKey] });
  root = await makeCertificate(['root.test'], { authority: true });
  middle = await makeCertificate(['middle.test'], { authority: true, issuer: root });
  site = await makeCertificate(['site.test'], { issuer: middle, notAfter: new Date('2040-05-06T07:08:09Z') });
});

afterAll(() => server.close());

const chain = () => middle.certificate + root.certificate;
const post = (payload: object, more: object = {}) =>
  server.call('POST', NEW, { body: { name: 'site', payload, ...more } });
const faults = async (payload: object, more: object = {}): Promise<Record<string, string[]>> => {
  const { status, body } = await post(payload, more);
  expect(status, JSON.stringify(body)).toBe(400);
  return body.invalid_fields;
};

async function created(payload: object = payloadOf(site, chain()), more: object = {}): Promise<string> {
  const task = await server.ended(await post(payload, more));
  expect(task).toMatchObject({ task_type: 'create_secret', state: 'FINISHED', error: null });
  expect(task.created_resources?.secrets).toHaveLength(1);
  return String(task.created_resources?.secrets?.[0]);
}

const get = (id: string) => server.call('GET', `${ALL}/${id}`);
const remove = (id: string) => server.call('DELETE', `${ALL}/${id}`);

async function usage(): Promise<number> {
  const rows = await server.db.rows<{ usage: number }>(
    sql`select usage from quota_counters where client_id = 1 and region_id = 2 and name = 'secret_count'`,
  );
  return rows[0]?.usage ?? 0;
}

describe('a certificate with its key and chain', () => {
  test('is described truly, and can be deleted again', async () => {
    const before = await usage();
    const id = await created();
    expect((await get(id)).body).toMatchObject({
      id,
      name: 'site',
      secret_type: 'certificate',
      status: 'ACTIVE',
      algorithm: 'EC',
      bit_length: 256,
      mode: null,
      content_types: { default: 'application/pem-certificate-chain' },
      expiration: null,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\+00:00$/),
    });
    expect(await usage()).toBe(before + 1);
    const list = (await server.call('GET', `${ALL}?limit=1`)).body;
    expect(list.results[0].id).toBe(id);
    expect(await server.ended(await remove(id))).toMatchObject({
      task_type: 'delete_secret',
      state: 'FINISHED',
    });
    expect((await get(id)).status).toBe(404);
    expect((await server.call('GET', ALL)).body.count).toBe(list.count - 1);
    expect(await usage()).toBe(before);
  });

  test('may expire when the client says, given with any zone', async () => {
    const id = await created(undefined, { expiration: '2030-01-02T03:04:05+0100' });
    expect((await get(id)).body.expiration).toBe('2030-01-02T02:04:05+00:00');
  });

  test('may be laid out as common tools lay it out', async () => {
    const key = { private_key: site.privateKey };
    const full = site.certificate + chain();
    await created({ ...key, certificate: full, certificate_chain: '' });
    await created({ ...key, certificate: site.certificate, certificate_chain: full });
    await created({
      ...key,
      certificate: `subject=CN = site.test\r\n${site.certificate.replaceAll('\n', '\r\n')}`,
      certificate_chain: middle.certificate,
    });
  });

  test.each<[string, CertificateOptions, string, number]>([
    ['RSA', { rsaBits: 2048 }, 'RSA', 2048],
    ['EC on P-384', { curve: 'P-384' }, 'EC', 384],
  ])('with a key of %s says its algorithm and bits', async (_, options, algorithm, bits) => {
    const id = await created(payloadOf(await makeCertificate(['key.test'], options)));
    expect((await get(id)).body).toMatchObject({ algorithm, bit_length: bits });
  });

  test('whose key is too short for TLS is refused', async () => {
    const weak = await makeCertificate(['weak.test'], { rsaBits: 1024 });
    expect((await faults(payloadOf(weak)))['payload.certificate']?.[0]).toContain(
      'RSA of at least 2048 bits',
    );
  });

  test('is refused with every faulty field at once, and nothing is left', async () => {
    const before = await usage();
    const other = await makeCertificate(['other.test']);
    const expired = await makeCertificate(['old.test'], { notAfter: new Date('2021-02-03T00:00:00Z') });
    const wrong = { certificate: expired.certificate, certificate_chain: 'x', private_key: other.privateKey };
    expect(await faults(wrong, { name: ' ', expiration: '2001-01-01T00:00:00Z' })).toEqual({
      name: ['must be 1 to 255 characters'],
      expiration: ['must be a time in the future'],
      'payload.certificate': ['expired on 2021-02-03'],
      'payload.certificate_chain': ['must be certificates in PEM'],
      'payload.private_key': ['does not belong to the certificate'],
    });
    expect(await faults({ certificate: '', certificate_chain: '', private_key: 'no key' })).toEqual({
      'payload.certificate': ['must be a certificate in PEM'],
      'payload.private_key': ['must be one private key in PEM'],
    });
    expect(await usage()).toBe(before);
  });

  test('needs a chain in which each certificate is followed by the one that issued it', async () => {
    const swapped = await faults(payloadOf(site, root.certificate + middle.certificate));
    expect(swapped['payload.certificate_chain']).toEqual([
      'certificate 1 did not issue the certificate; put them in order, each followed by the one that issued it',
      'certificate 2 did not issue certificate 1',
    ]);
    const stranger = await makeCertificate(['middle.test'], { authority: true });
    const foreign = await faults(payloadOf(site, stranger.certificate));
    expect(foreign['payload.certificate_chain']).toEqual(['certificate 1 did not issue the certificate']);
    const noAuthority = await makeCertificate(['middle.test']);
    const byLeaf = await makeCertificate(['leaf.test'], { issuer: noAuthority });
    expect(Object.keys(await faults(payloadOf(byLeaf, noAuthority.certificate)))).toEqual([
      'payload.certificate_chain',
    ]);
    const outdated = await makeCertificate(['middle.test'], {
      authority: true,
      notAfter: new Date('2022-01-01T00:00:00Z'),
    });
    const late = await makeCertificate(['late.test'], { issuer: outdated });
    expect((await faults(payloadOf(late, outdated.certificate)))['payload.certificate_chain']).toEqual([
      'expired on 2022-01-01',
    ]);
  });

  test('may have a root of X.509 version 1, and no other authority of it', async () => {
    const key = { private_key: version1.SITE_KEY };
    await created({ ...key, certificate: version1.SITE, certificate_chain: version1.ROOT });
    const below = version1.MIDDLE + version1.ROOT;
    const certificate = version1.SITE_OF_MIDDLE;
    expect(await faults({ ...key, certificate, certificate_chain: below })).toEqual({
      'payload.certificate_chain': [
        'certificate 1 issued the certificate, but is not the certificate of an authority',
      ],
    });
  });

  test('has no more authorities than one of them allows', async () => {
    const short = await makeCertificate(['short.test'], { authority: true, pathLength: 0 });
    const direct = await makeCertificate(['direct.test'], { issuer: short });
    await created(payloadOf(direct, short.certificate));
    const between = await makeCertificate(['between.test'], { authority: true, issuer: short });
    const deep = await makeCertificate(['deep.test'], { issuer: between });
    expect(await faults(payloadOf(deep, between.certificate + short.certificate))).toEqual({
      'payload.certificate_chain': [
        'certificate 2 may have 0 authorities between it and the certificate, but has 1',
      ],
    });
  });

  test('needs a key without a passphrase', async () => {
    const locked = site.privateKey.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY');
    expect((await faults({ ...payloadOf(site), private_key: locked }))['payload.private_key']).toEqual([
      'is protected by a passphrase; give it without one',
    ]);
  });
});

test('texts of PEM marks without an end are refused quickly', async () => {
  const certificate = '-----BEGIN CERTIFICATE-----\n'.repeat(2000);
  const before = process.cpuUsage();
  await faults({ certificate, certificate_chain: certificate, private_key: 'x' });
  // Of this process, so that others of the machine do not count.
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(2_000_000);
});

test('nothing secret is in any answer, log, row, task or audit entry', async () => {
  const id = await created();
  const broken = { certificate: site.certificate, certificate_chain: 'x', private_key: site.privateKey };
  const refusal = await post(broken);
  const answers = await Promise.all([
    get(id),
    server.call('GET', ALL),
    server.call('GET', '/cloud/v1/tasks'),
  ]);
  const tables = ['secrets', 'tasks', 'audit_log', 'idempotency_keys'];
  const rows = await Promise.all(
    tables.map((table) => server.db.rows(sql`select t::text as row from ${raw(table)} t`)),
  );
  const everything = JSON.stringify([refusal, answers, rows]) + logged;
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', site.keys.privateKey));
  const secretPart = (await webcrypto.subtle.exportKey('jwk', site.keys.privateKey)).d ?? 'missing';
  for (const form of [der.toString('base64').slice(60, 120), der.toString('hex'), secretPart]) {
    expect(everything.includes(form), form).toBe(false);
  }
  expect(everything.includes('PRIVATE KEY')).toBe(false);
});

test('without a key, certificates of authorities and revocation lists are kept too', async () => {
  const list = await makeRevocations(middle, [site], new Date('2031-01-01T00:00:00Z'));
  const keyless = { certificate_chain: '', private_key: '' };
  const authorities = await created({ ...keyless, certificate: chain() });
  expect((await get(authorities)).body).toMatchObject({ secret_type: 'certificate', algorithm: null });
  const revocations = await created({ ...keyless, certificate: list });
  expect((await get(revocations)).body).toMatchObject({
    secret_type: 'opaque',
    content_types: { default: 'application/x-pem-file' },
    expiration: null,
  });
  const outdated = await makeRevocations(middle, [], new Date('2021-01-01T00:00:00Z'));
  expect(await faults({ ...keyless, certificate: outdated })).toEqual({
    'payload.certificate': ['list 1 has been out of date since 2021-01-01'],
  });
  const damaged = loadX509().PemConverter.encode(Buffer.from('nothing'), 'X509 CRL');
  expect(Object.keys(await faults({ ...keyless, certificate: damaged }))).toEqual(['payload.certificate']);
});

const tls = (listener: object, pool: object = {}) => ({
  name: 'tls',
  listeners: [
    {
      name: 'https',
      protocol: 'TERMINATED_HTTPS',
      protocol_port: 8443,
      pools: [{ name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', ...pool }],
      ...listener,
    },
  ],
});

test('a secret in use is not deleted, and says by whom; when nothing uses it any more it is', async () => {
  const [id, sni] = [await created(), await created()];
  const body = tls({ secret_id: id, sni_secret_id: [sni] }, { secret_id: id });
  const task = await server.ended(await server.call('POST', LBS, { body }));
  expect(task).toMatchObject({ state: 'FINISHED' });
  const [lb] = task.created_resources?.loadbalancers ?? [];
  const refused = await remove(id);
  expect(refused.status).toBe(409);
  expect(refused.headers['x-should-retry']).toBe('false');
  const [listener] = task.created_resources?.listeners ?? [];
  const [pool] = task.created_resources?.pools ?? [];
  expect(refused.body.message).toBe(
    `Secret ${id} is used by listener https (${listener}) of load balancer ${lb}, ` +
      `pool app (${pool}) of load balancer ${lb}; remove it there first`,
  );
  expect((await remove(sni)).status).toBe(409);
  expect((await get(id)).body.status).toBe('ACTIVE');
  await finished(server, server.call('DELETE', `${LBS}/${lb}`));
  for (const each of [id, sni]) {
    await finished(server, remove(each));
  }
});

test('a body that names secrets is refused with every field that is wrong', async () => {
  const key = await created();
  const keyless = { certificate_chain: '', private_key: '' };
  const authorities = await created({ ...keyless, certificate: root.certificate });
  const revocations = await created({ ...keyless, certificate: await makeRevocations(middle, []) });
  const foreign = await server.call('POST', '/cloud/v2/secrets/2/2', {
    as: 'other client',
    body: { name: 'theirs', payload: payloadOf(site) },
  });
  const [theirs] = (await server.call('GET', '/cloud/v1/secrets/2/2', { as: 'other client' })).body.results;
  expect(foreign.status).toBe(200);
  const body = tls(
    { secret_id: authorities, sni_secret_id: [key, UNKNOWN, theirs.id] },
    { secret_id: revocations, ca_secret_id: authorities, crl_secret_id: revocations },
  );
  const { status, body: answer } = await server.call('POST', LBS, { body });
  expect(status).toBe(400);
  expect(answer.invalid_fields).toEqual({
    'listeners.0.secret_id': [expect.stringContaining('needed is a certificate with its private key')],
    'listeners.0.sni_secret_id.1': [`Secret ${UNKNOWN} was not found`],
    'listeners.0.sni_secret_id.2': [`Secret ${theirs.id} was not found`],
    'listeners.0.pools.0.secret_id': [
      expect.stringContaining('needed is a certificate with its private key'),
    ],
    'listeners.0.pools.0.crl_secret_id': [expect.stringContaining('revocations of another authority')],
  });
  const rules = await server.call('POST', LBS, {
    body: tls({ secret_id: key }, { protocol: 'HTTP', crl_secret_id: revocations }),
  });
  expect(rules.body.invalid_fields).toEqual({
    'listeners.0.pools.0.crl_secret_id': ['needs ca_secret_id'],
  });
});

test('a secret that a task may need to go back is kept until the task ends', async () => {
  const [id, next] = [await created(), await created()];
  const task = await server.ended(await server.call('POST', LBS, { body: tls({ secret_id: id }) }));
  const [listener] = task.created_resources?.listeners ?? [];
  // As while the task runs that gives the listener another secret.
  await server.db.run(
    sql`update lb_listeners set previous = to_jsonb(lb_listeners), secret_id = ${next}, task_id = ${UNKNOWN} where id = ${listener}`,
  );
  const refused = await remove(id);
  expect(refused.status).toBe(409);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.body.message).toContain(UNKNOWN);
  await server.db.run(sql`update lb_listeners set previous = null, task_id = null where id = ${listener}`);
  await finished(server, remove(id));
  expect((await get(id)).status).toBe(404);
});

test('a change of the master key covers secrets, and afterwards the new key alone opens them', async () => {
  const id = await created();
  const key = newKey();
  const both = new Cipher([key, oldKey]);
  await server.db.transaction(async (tx) => {
    await addKeyId(tx, both.currentKeyId, server.clock.timestamp());
    expect(await resealSecrets(tx, both)).toBeGreaterThan(0);
    expect(await resealSecrets(tx, both)).toBe(0);
  });
  const old = await new SecretReader(server.cipher).open(server.db, [id]);
  expect(old.size, 'the old key opens nothing any more').toBe(0);
  const opened = (await new SecretReader(new Cipher([key])).open(server.db, [id])).get(id);
  expect(opened).toEqual({
    certificate: site.certificate,
    chain: chain(),
    privateKey: site.privateKey,
    revocations: null,
  });
});

test('the quota of secrets is kept', async () => {
  await server.db.run(
    sql`update quota_counters set quota_limit = usage where client_id = 1 and region_id = 2 and name = 'secret_count'`,
  );
  const { status, body } = await post(payloadOf(site));
  expect(status).toBe(403);
  expect(body).toMatchObject({ exception_class: 'QuotaLimitExceed', info: { attribute: 'secret_count' } });
});
