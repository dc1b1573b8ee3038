import { expect, test } from 'vitest';
import { CLUSTERS, clusterBody, startServerWithLab } from '../../../../test/harness/kubernetes.ts';
import { shared } from '../../../../test/harness/shared.ts';

/** What people get wrong, and what the answer says. */

const server = shared(startServerWithLab);

const cilium = (change: object, pool = '172.16.0.0/18') => ({
  pods_ip_pool: pool,
  cni: { provider: 'cilium', cilium: change },
});
const oidc = (change: object) => ({ authentication: { oidc: change } });
const NAME_RULE =
  'must be 2 to 20 lowercase letters, digits or "-", begin with a letter, and end with a letter or digit';
const TOPIC_RULE =
  'must be words of lowercase letters, digits and "-", with "." between them, each beginning and ending with a letter or digit';

test.each([
  ['a name in capitals', { name: 'Web' }, { name: [NAME_RULE] }],
  [
    'an address inside of a network',
    { pods_ip_pool: '10.0.0.5/16' },
    { pods_ip_pool: ['must begin where its network does: 10.0.0.0/16'] },
  ],
  [
    'a network of the other kind',
    { is_ipv6: true, pods_ipv6_pool: '10.0.0.0/8' },
    { pods_ipv6_pool: ['must be an IPv6 network such as fd00:1::/64'] },
  ],
  [
    'IPv6 networks without IPv6',
    { services_ipv6_pool: 'fd00::/108' },
    { services_ipv6_pool: ['is for clusters with is_ipv6'] },
  ],
  [
    'parts of the pods network that are no parts of it',
    cilium({ mask_size: -4 }),
    { 'cni.cilium.mask_size': ['must be from 19 to 28, since pods are in 172.16.0.0/18'] },
  ],
  [
    'a pods network that cannot be divided',
    cilium({ mask_size: 28 }, '10.0.0.0/28'),
    { pods_ip_pool: ['must be larger than a /28, so that every node can get a part of it'] },
  ],
  [
    'an issuer that Kubernetes would not accept',
    oidc({ issuer_url: 'http://id.example' }),
    {
      'authentication.oidc.issuer_url': ['must be a URL that begins with https://'],
      'authentication.oidc.client_id': ['is required with issuer_url'],
    },
  ],
  [
    'logs to nowhere',
    { logging: { enabled: true, destination_region_id: 99 } },
    { 'logging.destination_region_id': ['must be one of: 1, 2, 3'] },
  ],
  ['a topic in capitals', { logging: { topic_name: 'Web Logs' } }, { 'logging.topic_name': [TOPIC_RULE] }],
])('a creation with %s is refused, and the answer says so', async (_what, change, fields) => {
  const reply = await server.call('POST', CLUSTERS, { body: clusterBody('faulty', change) });
  expect([reply.status, reply.body.invalid_fields]).toEqual([400, fields]);
});

test.each([
  [oidc({ client_id: 'kube' }), { 'authentication.oidc.issuer_url': ['is required with client_id'] }],
  [
    { logging: { enabled: true, destination_region_id: 99 } },
    { 'logging.destination_region_id': ['must be one of: 1, 2, 3'] },
  ],
  [
    // Of the two forms that this may have, the faults of the one that was meant are named.
    { add_ons: { slurm: { enabled: true, worker_count: 1 } } },
    {
      'add_ons.slurm.file_share_id': ['is required'],
      'add_ons.slurm.ssh_key_ids': ['is required'],
    },
  ],
])('a change to %j is refused with what is wrong', async (body, fields) => {
  const reply = await server.call('PATCH', `${CLUSTERS}/lab`, { body });
  expect([reply.status, reply.body.invalid_fields]).toEqual([400, fields]);
});

test.each([
  [{ max_node_count: 2 }, { max_node_count: ['must not be less than min_node_count, which is 3'] }],
  [
    { min_node_count: 9, max_node_count: 5 },
    { min_node_count: ['must not be more than max_node_count, which is 5'] },
  ],
  [{ node_count: 1 }, { node_count: ['must be from 3 to 200'] }],
])('bounds %j are named by the field that was sent', async (body, fields) => {
  const reply = await server.call('PATCH', `${CLUSTERS}/lab/pools/workers`, { body });
  expect([reply.status, reply.body.invalid_fields]).toEqual([400, fields]);
});
