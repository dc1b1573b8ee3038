import { describe, expect, test } from 'vitest';
import { NOWHERE } from '../harness/project.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

const server = shared(() => startTestServer({ worker: false }));

const tags = { 'not a key': 'x' };
const tcp = { name: 'tcp', protocol: 'TCP', protocol_port: 80, insert_x_forwarded: true };
const all = (noun: string) => `/cloud/${noun}/1/2`;
const one = (noun: string) => `${all(noun)}/${NOWHERE}`;
const port = { protocol: 'tcp', direction: 'ingress', port_range_min: 9, port_range_max: 8 };
const users = [{ username: 'reader', encrypted_password: 'plain' }];
const monitor = { type: 'PING', delay: 1, timeout: 2, url_path: '/', max_retries: 99 };
const target = { action: 'REDIRECT_TO_URL', redirect_url: 'nowhere', tags: [''] };
const rule = { type: 'HEADER', compare_type: 'IS', value: 'a\u0001b', tags: [''] };

const routes = [
  { destination: 'fd00::/64', nexthop: '10.0.0.9' },
  { destination: '10.9.0.0/16', nexthop: '10.0.0.9' },
  { destination: '10.9.1.0/16', nexthop: '10.0.0.9' },
];

const fieldsOf = (body: { invalid_fields?: object; errors?: object }): string[] =>
  Object.keys(body.invalid_fields ?? body.errors ?? {}).toSorted();

/** What a schema refuses, beside what only the rules of a noun do: both are said at once. */
describe('a body that is wrong in more than one way', () => {
  test.each<[string, string, object, string[]]>([
    [
      'POST',
      all('v1/loadbalancers'),
      { name: 1, flavor: 'huge', tags, listeners: [tcp] },
      ['name', 'flavor', 'listeners.0.insert_x_forwarded', 'tags.not a key'],
    ],
    [
      'POST',
      all('v1/lblisteners'),
      { ...tcp, name: 1, load_balancer_id: NOWHERE },
      ['name', 'insert_x_forwarded'],
    ],
    // That no certificate is left does not follow from one that is written wrongly.
    [
      'POST',
      all('v1/lblisteners'),
      { ...tcp, protocol: 'TERMINATED_HTTPS', secret_id: 'x', load_balancer_id: NOWHERE },
      ['secret_id'],
    ],
    ['POST', all('v1/lblisteners'), { ...tcp, protocol: 'FTP', load_balancer_id: NOWHERE }, ['protocol']],
    [
      'POST',
      all('v1/lbpools'),
      {
        name: 'pool',
        protocol: 'TCP',
        lb_algorithm: 'x',
        session_persistence: { type: 'HTTP_COOKIE' },
        load_balancer_id: NOWHERE,
      },
      ['lb_algorithm', 'session_persistence.type'],
    ],
    [
      'POST',
      all('v1/subnets'),
      { name: 1, cidr: '10.0.0.0/31', network_id: NOWHERE, tags },
      ['name', 'cidr', 'tags.not a key'],
    ],
    ['POST', all('v1/networks'), { name: 1, tags }, ['name', 'tags.not a key']],
    ['POST', all('v1/volumes'), { name: 1, source: 'new-volume', size: 1, tags }, ['name', 'tags.not a key']],
    [
      'POST',
      all('v1/volumes'),
      { name: 1, source: 'nothing', size: 'x', tags },
      ['name', 'source', 'size', 'tags.not a key'],
    ],
    [
      'POST',
      all('v1/volumes'),
      { name: 'disk', source: 'nothing', tags: { a: 5 }, metadata: { b: 6 } },
      ['source', 'tags.a', 'metadata.b'],
    ],
    ['POST', all('v1/volumes'), { source: 'nothing' }, ['name', 'source']],
    ['POST', all('v1/volumes'), { name: 1 }, ['name', 'source']],
    ['POST', all('v1/floatingips'), { port_id: 1, tags }, ['port_id', 'tags.not a key']],
    ['POST', all('v1/images'), { name: 1, volume_id: NOWHERE, tags }, ['name', 'tags.not a key']],
    ['POST', all('v1/snapshots'), { name: 1, volume_id: NOWHERE, tags }, ['name', 'tags.not a key']],
    [
      'POST',
      all('v2/instances'),
      { name: 1, flavor: 'huge', tags, user_data: '?' },
      ['interfaces', 'name', 'volumes', 'flavor', 'tags.not a key', 'user_data'],
    ],
    [
      'POST',
      all('v1/dbaas/postgres/clusters'),
      {
        cluster_name: 'DB',
        network: { acl: ['x'], network_type: 'public' },
        pg_server_configuration: { version: '15', pg_conf: '' },
        users: [{ name: 'postgres', role_attributes: ['CREATEROLE'] }],
        databases: [{ name: 'app', owner: 'nobody' }],
      },
      [
        'cluster_name',
        'flavor',
        'storage',
        'high_availability',
        'network.acl.0',
        'users.0.name',
        'databases.0.owner',
      ],
    ],
    // Who owns it cannot be said while the users are faulty.
    [
      'POST',
      all('v1/dbaas/postgres/clusters'),
      { cluster_name: 'db', users: [{ name: 1 }], databases: [{ name: 'postgres', owner: 'nobody' }] },
      [
        'flavor',
        'storage',
        'network',
        'high_availability',
        'pg_server_configuration',
        'users.0.name',
        'users.0.role_attributes',
        'databases.0.name',
      ],
    ],
    ['POST', all('v2/security_groups'), { name: 1, tags }, ['name', 'tags.not a key']],
    [
      'POST',
      all('v2/k8s/clusters'),
      {
        name: 1,
        keypair: 'key',
        version: 'v0.0.0',
        pools: [{ name: 'pool', flavor_id: 'huge', min_node_count: 2, max_node_count: 1 }],
      },
      ['name', 'version', 'pools.0.flavor_id', 'pools.0.max_node_count'],
    ],
    [
      'PATCH',
      `${all('v1/dbaas/postgres/clusters')}/db`,
      {
        network: { acl: ['x'], network_type: 'public' },
        users: [{ name: 'postgres', role_attributes: [] }],
        flavor: 1,
      },
      ['flavor', 'network.acl.0', 'users.0.name'],
    ],
    [
      'PATCH',
      `${all('v2/k8s/clusters')}/shop/pools/web`,
      { auto_healing_enabled: 'x', min_node_count: 0, labels: { '?': 'x' } },
      ['auto_healing_enabled', 'min_node_count', 'labels.?'],
    ],
    [
      'PATCH',
      `${all('v2/k8s/clusters')}/shop`,
      { logging: 1, authentication: { oidc: { issuer_url: 'http://example.com' } } },
      ['logging', 'authentication.oidc.issuer_url'],
    ],
    ['POST', all('v1/routers'), { name: 1, routes }, ['name', 'routes.2.destination']],
    ['PATCH', one('v2/routers'), { name: 1, routes }, ['name', 'routes.2.destination']],
    [
      'POST',
      `${one('v2/security_groups')}/rules`,
      { ...port, description: 1 },
      ['description', 'port_range_min'],
    ],
    // That a protocol has no ports, or a prefix is of another version, does not follow from faulty ones.
    [
      'POST',
      `${one('v2/security_groups')}/rules`,
      { ...port, protocol: 'x', ethertype: 'IPv5', remote_ip_prefix: '10.0.0.0/8' },
      ['ethertype', 'protocol'],
    ],
    ['PATCH', one('v1/volumes'), { name: 1, tags }, ['name', 'tags.not a key']],
    ['PATCH', one('v1/snapshots'), { name: 1, tags }, ['name', 'tags.not a key']],
    ['PATCH', one('v2/networks'), { name: 1, tags }, ['name', 'tags.not a key']],
    ['PATCH', one('v1/subnets'), { name: 1, tags }, ['name', 'tags.not a key']],
    ['PATCH', one('v2/floatingips'), { port_id: 1, tags }, ['port_id', 'tags.not a key']],
    ['PATCH', one('v1/images'), { name: 1, tags }, ['name', 'tags.not a key']],
    ['PATCH', one('v1/instances'), { name: 1, tags }, ['name', 'tags.not a key']],
    ['PATCH', one('v2/loadbalancers'), { name: 1, tags }, ['name', 'tags.not a key']],
    [
      'PATCH',
      one('v2/security_groups'),
      { name: 1, tags, rules: [port] },
      ['name', 'tags.not a key', 'rules.0.port_range_min'],
    ],
    [
      'POST',
      all('v2/security_groups'),
      { name: 1, tags, rules: [port] },
      ['name', 'tags.not a key', 'rules.0.port_range_min'],
    ],
    [
      'POST',
      all('v1/downloadimage'),
      { name: 1, url: 'http://me:secret@example.com/', tags },
      ['name', 'url', 'tags.not a key'],
    ],
    [
      'PATCH',
      one('v2/lblisteners'),
      { name: 1, user_list: users },
      ['name', 'user_list.0.encrypted_password'],
    ],
    [
      'PATCH',
      one('v2/lbpools'),
      {
        name: 1,
        session_persistence: { type: 'SOURCE_IP', cookie_name: 'shop' },
        healthmonitor: { ...monitor, max_retries: 1 },
      },
      ['name', 'session_persistence.cookie_name', 'healthmonitor.timeout', 'healthmonitor.url_path'],
    ],
    ['POST', `${one('v1/lbpools')}/healthmonitor`, monitor, ['max_retries', 'timeout', 'url_path']],
    [
      'PATCH',
      `${one('v1/lbpools')}/healthmonitor`,
      { max_retries: 99, delay: 1, timeout: 2, expected_codes: 'all' },
      ['max_retries', 'timeout', 'expected_codes'],
    ],
    ['POST', all('v1/l7policies'), target, ['listener_id', 'redirect_url', 'tags.0']],
    ['PATCH', one('v1/l7policies'), { ...target, name: 1 }, ['name', 'redirect_url', 'tags.0']],
    ['POST', `${one('v1/l7policies')}/rules`, rule, ['compare_type', 'key', 'value', 'tags.0']],
  ])('%s %s', async (method, path, body, fields) => {
    const reply = await server.call(method, path, { body });
    expect([reply.status, fieldsOf(reply.body)]).toEqual([400, fields.toSorted()]);
  });

  test('a threshold is told what each of its fields lacks', async () => {
    const reply = await server.call('POST', '/storage/notifications/v1/event', {
      body: { name: 'reaching_used_space', count: 1, uuid: 5 },
    });
    expect(reply.status).toBe(400);
    for (const field of ['uuid', 'bytes', 'count', 'storage_name']) {
      expect(JSON.stringify(reply.body)).toContain(field);
    }
  });

  test('an invitation is told of its role and its address at once', async () => {
    const reply = await server.call('POST', '/iam/clients/invite_user', {
      body: { client_id: 1, email: 'nobody', user_role: { id: 77 } },
    });
    expect([reply.status, fieldsOf(reply.body)]).toEqual([400, ['email', 'user_role']]);
  });

  test('an API token is told of its role and its expiry at once', async () => {
    const reply = await server.call('POST', '/iam/clients/1/tokens', {
      body: { name: 'ci', exp_date: '2020-01-01', client_user: { role: { id: 77 } } },
    });
    expect([reply.status, fieldsOf(reply.body)]).toEqual([400, ['client_user.role', 'exp_date']]);
  });
});
