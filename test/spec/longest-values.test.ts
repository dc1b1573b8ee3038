import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../../server/src/features/secrets/testing/certificates.ts';
import { addSshKey, clusterBody as kubernetes } from '../harness/kubernetes.ts';
import { clusterBody as postgresql, STATUS } from '../harness/managed-postgresql.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** Every text has a bound, and none of them is in the way of what people really send: the longest that is legitimate
 *  of each kind is used. */

let server: TestServer;
let balancer = '';
let listener = '';
let image = '';
const POLICIES = '/cloud/v1/l7policies/1/2';
const POOLS = '/cloud/v1/lbpools/1/2';

beforeAll(async () => {
  server = await startTestServer();
  const body = { name: 'web', listeners: [{ name: 'http', protocol: 'HTTP', protocol_port: 80 }] };
  const made = await server.ended(await server.call('POST', '/cloud/v1/loadbalancers/1/2', { body }));
  balancer = String(made.created_resources?.loadbalancers?.[0]);
  listener = String(made.created_resources?.listeners?.[0]);
  image = (await server.call('GET', '/cloud/v1/images/1/2')).body.results[0].id;
  await addSshKey(server);
  await server.call('PUT', STATUS, { body: { is_initialized: true } });
});
afterAll(() => server.close());

const text = (length: number, start = '') => start.padEnd(length, 'a');
const address = (length: number) => text(length, 'https://example.test/');
const policy = (change: object) => ({ listener_id: listener, ...change });
const pool = (change: object) => ({
  name: 'pool',
  protocol: 'HTTP',
  lb_algorithm: 'ROUND_ROBIN',
  loadbalancer_id: balancer,
  ...change,
});
const monitor = { type: 'HTTP', delay: 10, max_retries: 2, timeout: 5 };
const tags = Object.fromEntries(
  Array.from({ length: 64 }, (_, i) => [text(255, `key${i}-`), text(255, 'value')]),
);

test.each([
  ['a redirect target', POLICIES, () => policy({ action: 'REDIRECT_TO_URL', redirect_url: address(2048) })],
  [
    'a redirect prefix',
    POLICIES,
    () => policy({ action: 'REDIRECT_PREFIX', redirect_prefix: address(2048) }),
  ],
  ['the path of a check', POOLS, () => pool({ healthmonitor: { ...monitor, url_path: text(1024, '/') } })],
  [
    'a host name of a check',
    POOLS,
    () =>
      pool({
        name: 'named',
        healthmonitor: {
          ...monitor,
          http_version: '1.1',
          domain_name: `${`${text(62)}.`.repeat(3)}${text(61)}`,
        },
      }),
  ],
  ['64 tags', '/cloud/v1/networks/1/2', () => ({ name: 'tagged', tags })],
  [
    'a description of a security group',
    '/cloud/v2/security_groups/1/2',
    () => ({ name: 'group', description: text(1024), rules: [] }),
  ],
  ['a description of a project', '/cloud/v1/projects', () => ({ name: 'long', description: text(1024) })],
  [
    'an address that a storage signed',
    '/cloud/v1/downloadimage/1/2',
    () => ({ name: 'image', url: `${address(400)}?X-Amz-Security-Token=${text(3000)}` }),
  ],
  [
    'a bearer token with many claims',
    '/cloud/v1/user_actions/subscribe',
    () => ({
      url: address(2048),
      auth_header_name: 'Authorization',
      auth_header_value: `Bearer ${text(6000)}`,
    }),
  ],
  [
    'an issuer of identities',
    '/cloud/v2/k8s/clusters/1/2',
    () =>
      kubernetes('named', {
        authentication: { oidc: { client_id: text(255), issuer_url: address(2048) } },
      }),
  ],
  [
    'settings of a PostgreSQL server',
    '/cloud/v1/dbaas/postgres/clusters/1/2',
    () => ({
      ...postgresql('shop'),
      pg_server_configuration: {
        pg_conf: `${'# a comment line\n'.repeat(3800)}work_mem = 8MB\n`,
        version: '18',
      },
    }),
  ],
  [
    'an SSH key of 16,384 bits',
    '/cloud/v1/ssh_keys/1',
    () => ({ name: 'large', public_key: `ssh-rsa ${rsaKey(16_384)} somebody@example.test` }),
  ],
  [
    'start-up data of an instance',
    '/cloud/v2/instances/1/2',
    () => ({
      name: 'instance',
      flavor: 'g1-standard-1-2',
      volumes: [{ source: 'image', image_id: image, size: 20, boot_index: 0 }],
      interfaces: [{ type: 'external' }],
      user_data: randomBytes(49_149).toString('base64'),
    }),
  ],
])('as long as it gets: %s', async (_what, path, body) => {
  const reply = await server.call('POST', path, { body: body() });
  expect(reply.body.invalid_fields ?? {}).toEqual({});
  expect(reply.status).toBeLessThan(300);
  if (reply.body.tasks) await server.ended(reply);
});

/** What the wire form of an RSA key has: its name, its exponent and its modulus, each with its length. */
function rsaKey(bits: number): string {
  const part = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const modulus = Buffer.concat([Buffer.from([0, 0x80]), Buffer.alloc(bits / 8 - 1, 1)]);
  const parts = [Buffer.from('ssh-rsa'), Buffer.from([1, 0, 1]), modulus].map(part);
  return Buffer.concat(parts).toString('base64');
}

test('a certificate with a chain of ten may be stored', { timeout: 600_000 }, async () => {
  const root = await makeCertificate(['root.example.test'], { authority: true, rsaBits: 4096 });
  const names = Array.from({ length: 100 }, (_, i) => `host-${i}.a-long-name-of-a-department.example.test`);
  const leaf = await makeCertificate(names, { issuer: root, rsaBits: 4096 });
  const body = {
    name: 'site',
    payload: {
      certificate: leaf.certificate,
      certificate_chain: `${root.certificate.trim()}\n`.repeat(10),
      private_key: leaf.privateKey,
    },
  };
  const reply = await server.call('POST', '/cloud/v2/secrets/1/2', { body });
  expect(reply.body.invalid_fields ?? {}).toEqual({});
  expect(reply.status).toBe(200);
});

test('the filter of a list may name many tags', async () => {
  const some = Object.fromEntries(Object.entries(tags).slice(0, 12));
  const query = `tag_key_value=${encodeURIComponent(JSON.stringify(some))}`;
  for (const list of ['instances', 'networks', 'loadbalancers', 'volumes']) {
    const reply = await server.call('GET', `/cloud/v1/${list}/1/2?${query}`);
    expect([list, reply.status]).toEqual([list, 200]);
  }
});
