import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSshKey, CLUSTERS, createCluster } from '../../../../test/harness/kubernetes.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/server.ts';
import { sql } from '../../platform/database/sql.ts';
import { Cipher } from '../../platform/secrets/cipher.ts';
import { clusters } from './cluster-store.ts';
import { openAuthority, openClient, resealClusterKeys } from './keys.ts';

let server: TestServer;
const OLD = randomBytes(32);
const NEW = randomBytes(32);

beforeAll(async () => {
  server = await startTestServer({ masterKeys: [OLD] });
  await addSshKey(server);
});

afterAll(() => server.close());

const stored = () => clusters.read(server.db, 'sealed', { projectId: 1, regionId: 2 });

test('a change of the master key keeps every key of a cluster readable, under the new one alone', async () => {
  await createCluster(server, 'sealed');
  const rotating = new Cipher([NEW, OLD]);
  expect(await server.db.transaction((tx) => resealClusterKeys(tx, rotating))).toBe(2);
  const row = await stored();
  const opened = openAuthority(new Cipher([NEW]), row);
  expect(new X509Certificate(opened.certificate).checkPrivateKey(createPrivateKey(opened.privateKey))).toBe(
    true,
  );
  const client = openClient(new Cipher([NEW]), row);
  expect(new X509Certificate(client.certificate).checkPrivateKey(createPrivateKey(client.privateKey))).toBe(
    true,
  );
  expect(() => openAuthority(new Cipher([OLD]), row)).toThrow();
});

test('a client certificate that has expired is issued anew by the same authority', async () => {
  await server.db.transaction((tx) => resealClusterKeys(tx, new Cipher([OLD, NEW])));
  const first = await server.call('GET', `${CLUSTERS}/sealed/config`);
  await server.db.run(sql`update k8s_clusters set kubeconfig_expires_at = now() - interval '1 day'`);
  const second = await server.call('GET', `${CLUSTERS}/sealed/config`);
  expect(second.body.client_certificate).not.toBe(first.body.client_certificate);
  expect(second.body.cluster_ca_certificate).toBe(first.body.cluster_ca_certificate);
  const pem = (text: string) => new X509Certificate(Buffer.from(text, 'base64').toString());
  expect(pem(second.body.client_certificate).checkIssued(pem(first.body.cluster_ca_certificate))).toBe(true);
  expect(Date.parse(second.body.expires_at)).toBeGreaterThan(Date.parse(second.body.created_at));
});
