import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { sql } from '../../server/src/platform/database/sql.ts';
import { changedNothing } from '../../test/harness/changed-nothing.ts';
import {
  addSshKey,
  CLUSTERS,
  clusterBody,
  createCluster,
  nodesOf,
  nodesReady,
  startServerWithSshKey,
  usage,
} from '../harness/kubernetes.ts';
import { faultsOf, finished } from '../harness/project.ts';
import { startFaultyServer } from '../harness/regions.ts';
import { shared } from '../harness/shared.ts';

const server = shared(startServerWithSshKey);

const create = (body: unknown) => server.call('POST', CLUSTERS, { body });
const pool = (change: object = {}) => ({
  name: 'workers',
  flavor_id: 'g1-standard-1-2',
  min_node_count: 1,
  ...change,
});

test('a cluster is created by one task, addressed by its name, and deleted without a trace', async () => {
  const before = await usage(server);
  const reply = await create(clusterBody('whole'));
  const task = await server.ended(reply);
  expect(task).toMatchObject({ task_type: 'create_k8s_cluster_v2', state: 'FINISHED' });
  const { body } = await server.call('GET', `${CLUSTERS}/whole`);
  expect(task.created_resources?.k8s_clusters).toEqual([body.id]);
  expect(body).toMatchObject({
    name: 'whole',
    version: 'v1.32.8',
    status: 'Provisioned',
    keypair: 'operator key',
    task_id: null,
    creator_task_id: task.id,
    pods_ip_pool: '172.16.0.0/18',
    services_ip_pool: '172.24.0.0/18',
    cni: { provider: 'calico' },
    pools: [{ name: 'workers', status: 'Running', node_count: 3, boot_volume_size: 50 }],
  });
  expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const listed = await server.call('GET', `/cloud/v1/instances/1/2?name=whole-workers`);
  expect(listed.body.count).toBe(3);
  const without = await server.call('GET', `/cloud/v1/instances/1/2?name=whole-workers&include_k8s=false`);
  expect(without.body.count).toBe(0);
  expect(await usage(server)).toEqual({
    ...before,
    cluster_count: (before.cluster_count ?? 0) + 1,
    cpu_count: (before.cpu_count ?? 0) + 3,
    ram: (before.ram ?? 0) + 3 * 2048,
    vm_count: (before.vm_count ?? 0) + 3,
    volume_count: (before.volume_count ?? 0) + 3,
    volume_size: (before.volume_size ?? 0) + 150,
  });
  const deleted = await server.ended(await server.call('DELETE', `${CLUSTERS}/whole`));
  expect(deleted).toMatchObject({ task_type: 'delete_k8s_cluster_v2', state: 'FINISHED' });
  expect((await server.call('GET', `${CLUSTERS}/whole`)).status).toBe(404);
  expect((await server.call('GET', '/cloud/v1/instances/1/2?name=whole-')).body.count).toBe(0);
  expect(await usage(server)).toEqual(before);
});

test('names are unique in a project and region, and free again after the deletion', async () => {
  await createCluster(server, 'unique', { pools: [pool()] });
  expect((await create(clusterBody('unique'))).status).toBe(409);
  await createClusterIn(1, 'unique');
  await finished(server, server.call('DELETE', `${CLUSTERS}/unique`));
  await createCluster(server, 'unique', { pools: [pool()] });
});

async function createClusterIn(region: number, name: string): Promise<void> {
  const reply = await server.call('POST', `/cloud/v2/k8s/clusters/1/${region}`, { body: clusterBody(name) });
  await finished(server, reply);
}

test('every faulty field is named, and nothing is created or counted', async () => {
  const before = await usage(server);
  const reply = await create({
    ...clusterBody('faulty'),
    version: 'v1.2.3',
    keypair: 'unknown key',
    pods_ip_pool: '10.0.0.0/16',
    services_ip_pool: '10.0.1.0/24',
    pools: [
      pool({ flavor_id: 'huge', max_node_count: 2, min_node_count: 3 }),
      pool({ labels: { 'no good': '-' }, taints: { dedicated: 'gpu' } }),
    ],
  });
  expect(await faultsOf(reply)).toEqual([
    'keypair',
    'pools.0.flavor_id',
    'pools.0.max_node_count',
    'pools.1.labels.no good',
    'pools.1.name',
    'pools.1.taints.dedicated',
    'services_ip_pool',
    'version',
  ]);
  expect(reply.body.invalid_fields.version[0]).toContain('v1.32.8');
  expect(reply.body.invalid_fields['pools.0.flavor_id'][0]).toMatch(/^must be one of: .*g1-standard-1-2/);
  expect(await usage(server)).toEqual(before);
  for (const wrong of [
    pool({ min_node_count: 0 }),
    pool({ min_node_count: 201 }),
    pool({ boot_volume_size: 9 }),
  ]) {
    expect((await create({ ...clusterBody('faulty'), pools: [wrong] })).status).toBe(400);
  }
  expect((await create({ ...clusterBody('faulty'), pools: [] })).status).toBe(400);
});

test('a creation beyond a quota is refused and reserves nothing', async () => {
  const before = await usage(server);
  const pools = Array.from({ length: 30 }, (_, i) => pool({ name: `p${i}`, min_node_count: 200 }));
  const reply = await create({ ...clusterBody('greedy'), pools });
  expect(reply).toMatchObject({ status: 403, body: { exception_class: 'QuotaLimitExceed' } });
  expect(await usage(server)).toEqual(before);
  const check = await server.call('POST', `${CLUSTERS}/check_limits`, {
    body: { pools: pools.map(({ name, flavor_id }) => ({ name, flavor_id, min_node_count: 200 })) },
  });
  expect(check.body).toMatchObject({ vm_count_requested: 6000, vm_count_limit: 5000 });
  const fine = await server.call('POST', `${CLUSTERS}/pools/check_limits`, {
    body: { flavor_id: 'g1-standard-1-2' },
  });
  expect(fine).toMatchObject({ status: 200, body: {} });
});

test('a creation that fails leaves nothing behind', async () => {
  const faulty = await startFaultyServer({ create_k8s_node: 1 });
  try {
    await addSshKey(faulty);
    const task = await faulty.ended(await faulty.call('POST', CLUSTERS, { body: clusterBody('failed') }));
    expect(task).toMatchObject({ state: 'ERROR', created_resources: null });
    expect(task.error).toContain('create_k8s_node');
    expect((await faulty.call('GET', `${CLUSTERS}/failed`)).status).toBe(404);
    expect((await faulty.call('GET', '/cloud/v1/instances/1/2')).body.count).toBe(0);
    expect(await usage(faulty)).toEqual({});
  } finally {
    await faulty.close();
  }
});

test('the kubeconfig parses and carries a real CA and a client certificate of that cluster', async () => {
  await createCluster(server, 'config', { pools: [pool()] });
  const { status, body } = await server.call('GET', `${CLUSTERS}/config/config`);
  expect(status).toBe(200);
  expect(body.config).toMatch(/^# This cluster is simulated: nothing answers at its address.\n/);
  expect(body.host).toMatch(/^https:\/\/(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+:6443$/);
  const { cluster, user, context, ...config } = read(body.config);
  expect(config).toMatchObject({ apiVersion: 'v1', kind: 'Config', 'current-context': context.name });
  expect(context.context).toEqual({ cluster: cluster.name, user: user.name });
  expect(cluster.cluster.server).toBe(body.host);
  const field = (name: string) =>
    Buffer.from(cluster.cluster[name] ?? user.user[name] ?? '', 'base64').toString();
  const ca = new X509Certificate(field('certificate-authority-data'));
  const client = new X509Certificate(field('client-certificate-data'));
  expect(ca.ca).toBe(true);
  expect(ca.checkIssued(ca)).toBe(true);
  expect(client.checkIssued(ca)).toBe(true);
  expect(client.verify(ca.publicKey)).toBe(true);
  expect(client.subject).toContain('O=system:masters');
  expect(client.checkPrivateKey(createPrivateKey(field('client-key-data')))).toBe(true);
  expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.parse(body.created_at));
  const { body: authority } = await server.call('GET', `${CLUSTERS}/config/certificates`);
  expect(new X509Certificate(authority.certificate).fingerprint).toBe(ca.fingerprint);
  expect(ca.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
  const rows = await server.db.rows<{ row: string }>(sql`select c::text as row from k8s_clusters c`);
  expect(rows.every(({ row }) => !row.includes('PRIVATE KEY'))).toBe(true);
  expect((await server.call('GET', `${CLUSTERS}/config/config`, { as: 'Users' })).status).toBe(403);
});

interface Named {
  readonly name: string;
}

/** The one cluster, user and context of a kubeconfig, and the rest of it. */
function read(text: string) {
  const { clusters, users, contexts, ...config } = parse(text) as {
    clusters: (Named & { cluster: Record<string, string> })[];
    users: (Named & { user: Record<string, string> })[];
    contexts: (Named & { context: Record<string, string> })[];
  };
  const [[cluster], [user], [context]] = [clusters, users, contexts];
  if (!cluster || !user || !context) throw new Error(`something is missing in ${text}`);
  return { ...config, cluster, user, context };
}

async function credentialsOf(name: string) {
  const [config, authority] = await Promise.all(
    ['config', 'certificates'].map((what) => server.call('GET', `${CLUSTERS}/${name}/${what}`)),
  );
  const { cluster, user } = read(config?.body.config);
  const pem = (text = '') => Buffer.from(text, 'base64').toString();
  return {
    authority: { cert: authority?.body.certificate as string, key: authority?.body.key as string },
    ca: pem(cluster.cluster['certificate-authority-data']),
    cert: pem(user.user['client-certificate-data']),
    key: pem(user.user['client-key-data']),
  };
}

test('an API server that trusts the authority of a cluster lets its kubeconfig in, and no other', async () => {
  for (const name of ['trusted', 'stranger']) await createCluster(server, name, { pools: [pool()] });
  const [trusted, stranger] = await Promise.all(['trusted', 'stranger'].map(credentialsOf));
  if (!trusted || !stranger) throw new Error('no credentials');
  const { authority, ca } = trusted;
  const api = tls.createServer({ ...authority, ca, requestCert: true, rejectUnauthorized: true }, (socket) =>
    socket.end(String(socket.getPeerCertificate().subject.CN)),
  );
  const refused: Error[] = [];
  api.on('tlsClientError', (error) => refused.push(error)).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  /** What the server says before the connection ends. */
  const ask = ({ cert, key }: { cert: string; key: string }) =>
    new Promise<string>((resolve) => {
      // The authority itself plays the server, for which its certificate is not meant.
      const socket = tls.connect({ port, host: '127.0.0.1', ca, cert, key, rejectUnauthorized: false });
      let answer = '';
      socket.on('data', (chunk: Buffer) => {
        answer += chunk;
      });
      socket.on('error', () => undefined).on('close', () => resolve(answer));
    });
  try {
    expect(await ask(trusted)).toBe('kubernetes-admin');
    expect(refused).toEqual([]);
    expect(await ask(stranger)).toBe('');
    expect(refused).toHaveLength(1);
  } finally {
    api.close();
  }
});

test('pools are added, bounded, resized, relabelled and removed', async () => {
  await createCluster(server, 'pooled', { pools: [pool()] });
  const before = await usage(server);
  const url = `${CLUSTERS}/pooled/pools`;
  const added = await server.call('POST', url, {
    body: pool({
      name: 'extra',
      min_node_count: 2,
      max_node_count: 4,
      labels: { tier: 'back' },
      taints: { dedicated: 'db:NoSchedule' },
      auto_healing_enabled: true,
    }),
  });
  const task = await server.ended(added);
  expect(task.task_type).toBe('create_k8s_cluster_pool_v2');
  const read = await server.call('GET', `${url}/extra`);
  expect(task.created_resources?.k8s_pools).toEqual([read.body.id]);
  const { body: list } = await server.call('GET', url);
  expect(list.count).toBe(2);
  expect(list.results).toContainEqual(read.body);
  expect(read.body).toMatchObject({
    status: 'Running',
    node_count: 2,
    min_node_count: 2,
    max_node_count: 4,
    labels: { tier: 'back' },
    taints: { dedicated: 'db:NoSchedule' },
    auto_healing_enabled: true,
  });
  expect((await server.call('POST', url, { body: pool({ name: 'extra' }) })).status).toBe(409);
  const resize = (count: number) =>
    server.call('POST', `${url}/extra/resize`, { body: { node_count: count } });
  expect((await resize(1)).status).toBe(400);
  expect((await resize(5)).status).toBe(400);
  await finished(server, resize(4));
  expect(await nodesOf(server, 'pooled')).toHaveLength(5);
  await changedNothing(server, await resize(4));
  await finished(server, resize(3));
  expect(await nodesOf(server, 'pooled')).toHaveLength(4);
  const patched = await server.call('PATCH', `${url}/extra`, {
    body: { min_node_count: 1, max_node_count: 2, labels: {}, taints: { other: ':NoExecute' } },
  });
  expect(patched).toMatchObject({
    status: 200,
    body: { node_count: 2, labels: {}, taints: { other: ':NoExecute' } },
  });
  await nodesReady(server, 'pooled', 3);
  expect((await server.call('PATCH', `${url}/extra`, { body: { min_node_count: 3 } })).status).toBe(400);
  expect((await server.ended(await server.call('DELETE', `${url}/extra`))).task_type).toBe(
    'delete_k8s_cluster_pool_v2',
  );
  expect((await server.call('GET', `${url}/extra`)).status).toBe(404);
  expect((await server.call('DELETE', `${url}/workers`)).status).toBe(409);
  expect(await usage(server)).toEqual(before);
});

test('settings are changed by a task; that of a change that changes nothing has ended already', async () => {
  await createCluster(server, 'settings', { pools: [pool()] });
  const url = `${CLUSTERS}/settings`;
  const body = {
    logging: {
      enabled: true,
      destination_region_id: 2,
      topic_name: 'logs',
      retention_policy: { period: 45 },
    },
    authentication: { oidc: { issuer_url: 'https://id.example', client_id: 'kube' } },
    autoscaler_config: { 'scale-down-unneeded-time': '5m' },
  };
  const task = await server.ended(await server.call('PATCH', url, { body }));
  expect(task.state).toBe('FINISHED');
  expect((await server.call('GET', url)).body).toMatchObject(body);
  await changedNothing(server, await server.call('PATCH', url, { body }));
  const change = async (authentication: unknown) => {
    const reply = await server.call('PATCH', url, { body: { authentication } });
    expect(reply).toMatchObject({ status: 200 });
    expect((await server.ended(reply)).state).toBe('FINISHED');
    return (await server.call('GET', url)).body.authentication?.oidc ?? null;
  };
  expect(await change({ oidc: { issuer_url: 'https://new.example' } }), 'one field is merged').toMatchObject({
    issuer_url: 'https://new.example',
    client_id: 'kube',
  });
  expect(await change({ oidc: { username_claim: 'sub' } })).toMatchObject({
    issuer_url: 'https://new.example',
    username_claim: 'sub',
  });
  expect(await change({ oidc: null })).toBeNull();
  const fixed = await server.call('PATCH', url, { body: { cni: { provider: 'cilium' } } });
  expect(Object.keys(fixed.body.invalid_fields)).toEqual(['cni.provider']);
  expect((await server.ended(await server.call('PATCH', url, { body: { logging: null } }))).state).toBe(
    'FINISHED',
  );
  expect((await server.call('GET', url)).body.logging).toBeNull();
});

test('flavors hide GPUs and prices when asked to', async () => {
  const all = await server.call('GET', '/cloud/v1/k8s/1/2/flavors');
  const plain = await server.call('GET', '/cloud/v1/k8s/1/2/flavors?exclude_gpu=true');
  expect(plain.body.count).toBeLessThan(all.body.count);
  expect(all.body.results[0]).toMatchObject({ flavor_id: 'g1-standard-1-2', vcpus: 1, ram: 2048 });
});

test('the region says that it has Kubernetes, and clusters of others are not found', async () => {
  const { body } = await server.call('GET', '/cloud/v1/regions/2');
  expect(body).toMatchObject({ has_k8s: true, has_kvm: true });
  await createCluster(server, 'mine', { pools: [pool()] });
  const list = await server.call('GET', '/cloud/v2/k8s/clusters/2/2', { as: 'other client' });
  expect(list.body).toEqual({ count: 0, results: [] });
  expect((await server.call('GET', `${CLUSTERS}/mine`, { as: 'other client' })).status).toBe(404);
});
