import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { Cipher } from '../../platform/secrets/cipher.ts';
import { hasAddress } from './storage-tasks.ts';
import { storages } from './store.ts';
import { authoritiesOfStorages, resealTlsKeys, tlsOf } from './tls.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const STORAGES = '/storage/v4/object_storages';
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ masterKeys: [OLD] });
});
afterAll(() => server.close());

test('a storage with TLS has an authority of its own, and its key stays readable under a new master key', async () => {
  const made = await server.call('POST', STORAGES, { body: { location_name: 'simulated', name: 'sealed' } });
  const { id, address } = made.body;
  const { body } = await server.call('GET', `/virga/v1/object_storages/${id}/ca_certificate`);
  const authority = new X509Certificate(body.ca_certificate);
  expect(await server.db.transaction((tx) => resealTlsKeys(tx, new Cipher([NEW, OLD])))).toBe(1);
  const row = await storages.find(server.db, 1, id);
  if (!row || !hasAddress(row)) throw new Error('it has no address');
  const tls = tlsOf(new Cipher([NEW]), row);
  const certificate = new X509Certificate(tls?.certificate ?? '');
  expect(certificate.checkIssued(authority)).toBe(true);
  expect(certificate.checkHost(new URL(address).hostname)).toBe(new URL(address).hostname);
  expect(certificate.checkPrivateKey(createPrivateKey(tls?.privateKey ?? ''))).toBe(true);
  expect(() => tlsOf(new Cipher([OLD]), row)).toThrow();

  const soon = new Date(Date.parse(authority.validTo) + 1000);
  expect(await authoritiesOfStorages(server.db, soon)).toEqual([
    { use: 'authority', of: 'the authority of storage sealed', expiresAt: new Date(authority.validTo) },
  ]);
});
