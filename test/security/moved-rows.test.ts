import { beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../server/src/platform/database/sql.ts';
import { createdOne } from '../harness/project.ts';
import { type Caller, startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { asVictim, CLIENT } from './victim.ts';

/** Attacks that once moved rows to another client, or led to its: each field is one that the operation does not name. */

const server = shared(() => startTestServer());

interface Balancer {
  readonly loadBalancer: string;
  readonly listener: string;
  readonly pool: string;
  readonly member: string;
}

async function balancer(as: Caller, scope: string): Promise<Balancer> {
  const by = as === 'other client' ? asVictim(server) : server;
  const make = (kind: string, path: string, body: object) =>
    createdOne(by, kind, by.call('POST', `/cloud/v1/${path}`, { body }));
  const loadBalancer = await make('loadbalancers', `loadbalancers/${scope}`, { name: 'web' });
  const listener = await make('listeners', `lblisteners/${scope}`, {
    name: 'web',
    protocol: 'TCP',
    protocol_port: 80,
    load_balancer_id: loadBalancer,
  });
  const pool = await make('pools', `lbpools/${scope}`, {
    name: 'web',
    protocol: 'TCP',
    lb_algorithm: 'ROUND_ROBIN',
    listener_id: listener,
  });
  const member = await make('members', `lbpools/${scope}/${pool}/member`, {
    address: '192.0.2.10',
    protocol_port: 80,
  });
  return { loadBalancer, listener, pool, member };
}

let own: Balancer;
let foreign: Balancer;

beforeAll(async () => {
  own = await balancer('Administrators', '1/2');
  foreign = await balancer('other client', '2/2');
});

const rowOf = async (table: string, id: string) =>
  (
    await server.db.rows<{ row: object }>(
      sql`select to_jsonb(t) - '{task_id,version,updated_at}'::text[] as row from ${raw(table)} t where id = ${id}`,
    )
  )[0]?.row;

/** The fields and values of a body that the operation does not name. */
const LISTENER: readonly [name: string, () => object][] = [
  ['the project of another client', () => ({ project_id: 2 })],
  ['the region', () => ({ region_id: 1 })],
  ['the load balancer of another client', () => ({ load_balancer_id: foreign.loadBalancer })],
  ['the protocol', () => ({ protocol: 'UDP' })],
  ['the port', () => ({ protocol_port: 22 })],
  ['a pool of another client', () => ({ default_pool_id: foreign.pool })],
];

test.each(LISTENER)('a change of a listener does not change %s', async (_name, body) => {
  const before = await rowOf('lb_listeners', own.listener);
  const reply = await server.call('PATCH', `/cloud/v2/lblisteners/1/2/${own.listener}`, { body: body() });
  await server.ended(reply);
  expect(await rowOf('lb_listeners', own.listener)).toEqual(before);
});

test.each([
  ['the project of another client', () => ({ project_id: 2 })],
  ['the region', () => ({ region_id: 1 })],
  ['the load balancer of another client', () => ({ load_balancer_id: foreign.loadBalancer })],
] as const)('a change of a pool does not change %s', async (_name, body) => {
  const before = await rowOf('lb_pools', own.pool);
  const reply = await server.call('PATCH', `/cloud/v2/lbpools/1/2/${own.pool}`, { body: body() });
  await server.ended(reply);
  expect(await rowOf('lb_pools', own.pool)).toEqual(before);
});

test.each([
  ['the pool of another client, which has its address already', () => ({ pool_id: foreign.pool })],
  ['the address and port', () => ({ address: '192.0.2.99', protocol_port: 22 })],
  ['the load balancer of another client', () => ({ load_balancer_id: foreign.loadBalancer })],
] as const)('a change of a member does not change %s', async (_name, body) => {
  const before = await rowOf('lb_members', own.member);
  const path = `/cloud/v1/loadbalancers/1/2/pools/${own.pool}/members/${own.member}`;
  const reply = await server.call('PATCH', path, { body: body() });
  expect(reply.status).toBe(200);
  await server.ended(reply);
  expect(await rowOf('lb_members', own.member)).toEqual(before);
});

test('a request for limits is that of the caller, whoever else its body names', async () => {
  const body = {
    clientId: CLIENT,
    client_id: CLIENT,
    userId: 2,
    user_id: 2,
    status: 'done',
    description: 'more',
    requested_limits: { global_limits: { project_count_limit: 77 } },
  };
  const reply = await server.call('POST', '/cloud/v2/limits_request', { body });
  expect(reply).toMatchObject({ status: 201, body: { client_id: 1, status: 'in progress' } });
  const rows = await server.db.rows(sql`select client_id, user_id from limits_requests`);
  expect(rows).toEqual([{ client_id: 1, user_id: 1 }]);
});

test('what one names in a query or in an object within is not taken either', async () => {
  const body = {
    name: 'inside',
    protocol: 'TCP',
    lb_algorithm: 'ROUND_ROBIN',
    load_balancer_id: own.loadBalancer,
    members: [{ address: '192.0.2.20', protocol_port: 80, pool_id: foreign.pool, project_id: 2 }],
  };
  const path = `/cloud/v1/lbpools/1/2?project_id=2&pool_id=${foreign.pool}`;
  const pool = await createdOne(server, 'pools', server.call('POST', path, { body }));
  const members = await server.db.rows(sql`select address from lb_members where pool_id = ${pool}`);
  expect(members).toEqual([{ address: '192.0.2.20' }]);
});

test('the other client has what it had', async () => {
  for (const [table, id] of [
    ['lb_listeners', foreign.listener],
    ['lb_pools', foreign.pool],
  ] as const) {
    expect(await rowOf(table, id)).toMatchObject({ project_id: 2, load_balancer_id: foreign.loadBalancer });
  }
  const found = await server.call('GET', '/cloud/v1/lblisteners/2/2', { as: 'other client' });
  expect(found.body.results.map(({ id }: { id: string }) => id)).toEqual([foreign.listener]);
});
