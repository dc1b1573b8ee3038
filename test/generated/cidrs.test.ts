import { expect, test } from 'vitest';
import { Invalid } from '../../server/src/kernel/errors.ts';
import { Validator } from '../../server/src/platform/http/validation.ts';
import { faultsOf, project } from '../harness/project.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { nameOf } from './operations.ts';

/** Networks in CIDR notation, wherever one is asked for. */

const server = shared(() => startTestServer());
const at = project(() => server);

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function networksWithin(node: unknown, scope: string): { scope: string; schema: Node }[] {
  if (!isNode(node)) return [];
  const own = node.format === 'ip-network' ? [{ scope, schema: node }] : [];
  return [
    ...own,
    ...Object.entries(node).flatMap(([name, value]) => networksWithin(value, `${scope}/${name}`)),
  ];
}

const WORDS = 'must begin where its network does: 10.1.2.0/24';

test('a network with bits behind its prefix is refused in the same words, wherever one is asked for', () => {
  const validator = new Validator();
  const wrong: string[] = [];
  let seen = 0;
  for (const { spec } of server.app.routes)
    for (const { scope, schema } of networksWithin(spec.body, 'body')) {
      seen += 1;
      try {
        validator.check(schema as never, '10.1.2.3/24', 'body');
        wrong.push(`${nameOf(spec)} ${scope}`);
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        if (!Object.values(error.fields).flat().includes(WORDS))
          wrong.push(`${nameOf(spec)} ${scope}: ${error}`);
      }
    }
  expect(seen).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});

test('so it is by those who read networks themselves, and named with its field', async () => {
  const cluster = {
    cluster_name: 'cidrs',
    flavor: { cpu: 1, memory_gib: 1 },
    high_availability: null,
    network: { acl: ['10.1.2.3/24', '10.0.0.0/8', '10.0.0.0/8'], network_type: 'public' },
    pg_server_configuration: { version: '16', pg_conf: '', pooler: null },
    storage: { size_gib: 2, type: 'standard' },
    databases: [],
    users: [],
  };
  const reply = await at.call('POST', '/cloud/v1/dbaas/postgres/clusters/1/2', cluster);
  expect(reply.body.invalid_fields).toMatchObject({
    'network.acl.0': [WORDS],
    'network.acl.2': ['10.0.0.0/8 is given twice'],
  });
});

test('the same network twice is refused in a list, and one that never leaves a machine as a subnet', async () => {
  const network_id = '00000000-0000-4000-8000-000000000001';
  const subnet = { name: 'cidrs', network_id, cidr: '10.1.2.0/24' };
  const route = { destination: '172.16.0.0/12', nexthop: '10.1.2.9' };
  const twice = await at.call('POST', '/cloud/v1/subnets/1/2', { ...subnet, host_routes: [route, route] });
  expect(await faultsOf(twice)).toEqual(['host_routes.1.destination']);
  const listener = { name: 'web', protocol: 'TCP', protocol_port: 80 };
  const lb = {
    name: 'cidrs',
    listeners: [{ ...listener, allowed_cidrs: ['10.0.0.0/8', '2001:db8::/32', '2001:0db8::/32'] }],
  };
  const listed = await at.call('POST', '/cloud/v1/loadbalancers/1/2', lb);
  expect(await faultsOf(listed)).toEqual(['listeners.0.allowed_cidrs.2']);
  for (const cidr of ['127.0.0.0/8', '127.10.0.0/24', '::1/128', '::ffff:10.0.0.0/120']) {
    const reply = await at.call('POST', '/cloud/v1/subnets/1/2', { ...subnet, cidr });
    expect(await faultsOf(reply), cidr).toContain('cidr');
  }
});
