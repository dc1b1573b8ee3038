import { expect, test } from 'vitest';
import { sql } from '../../server/src/platform/database/sql.ts';
import { project } from '../harness/project.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** What no statement of ours may do, the database refuses too: a key between two resources carries their owner. */

const server = shared(() => startTestServer());

/** Keys that cannot carry it: what they name may be the region's, which is in no project, or a token of another client
 *  of which somebody is a member. */
const SHARED = new Set([
  'api_tokens_made_with_fkey',
  'k8s_clusters_fixed_subnet_id_fkey',
  'load_balancers_additional_subnet_id_fkey',
  'load_balancers_vip_subnet_id_fkey',
  'reserved_fixed_ips_additional_subnet_id_fkey',
  'reserved_fixed_ips_network_id_fkey',
  'reserved_fixed_ips_subnet_id_fkey',
  'sessions_token_id_fkey',
]);
/** What says whose a row is. */
const OWNERS = ['load_balancer_id', 'cluster_id', 'project_id', 'client_id'];
/** These are owners themselves: what names them says whose it is. */
const ROOTS = new Set(['clients', 'projects', 'regions', 'users']);

interface Key {
  readonly name: string;
  readonly child: string;
  readonly parent: string;
  readonly columns: readonly string[];
  readonly of_child: readonly string[];
  readonly of_parent: readonly string[];
}

test('a key between two tables that both say whose a row is carries the owner', async () => {
  const keys = await server.db.rows<Key>(sql`
  select c.conname as name, c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent,
         (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
           where a.attrelid = c.conrelid and a.attnum = any(c.conkey)) as columns,
         (select array_agg(a.attname::text) from pg_attribute a
           where a.attrelid = c.conrelid and a.attnum > 0 and not a.attisdropped) as of_child,
         (select array_agg(a.attname::text) from pg_attribute a
           where a.attrelid = c.confrelid and a.attnum > 0 and not a.attisdropped) as of_parent
    from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace`);
  expect(keys.length).toBeGreaterThan(50);
  const ownersOf = ({ of_child, of_parent }: Key) =>
    OWNERS.filter((owner) => of_child.includes(owner) && of_parent.includes(owner));
  const carries = (key: Key) => ownersOf(key).some((owner) => key.columns.includes(owner));
  const isBare = (key: Key) => {
    if (ROOTS.has(key.parent) || ownersOf(key).length === 0) return false;
    const same = keys.filter(
      ({ child, parent, columns }) =>
        child === key.child &&
        parent === key.parent &&
        key.columns.every((column) => columns.includes(column)),
    );
    return !same.some(carries);
  };
  const bare = keys.filter(isBare);
  expect(bare.map(({ name }) => name).filter((name) => !SHARED.has(name))).toEqual([]);
  expect([...SHARED].filter((name) => !keys.some((key) => key.name === name))).toEqual([]);
});

/** A load balancer with a listener, a pool and a member. @returns their ids */
async function balancer(scope: string, address: string) {
  const { make, call, finished, read } = project(() => server, scope);
  const load_balancer_id = await make('loadbalancers', { name: 'web' });
  const listener = await make('lblisteners', {
    name: 'http',
    protocol: 'HTTP',
    protocol_port: 80,
    load_balancer_id,
  });
  const pool = await make('lbpools', {
    name: 'web',
    protocol: 'HTTP',
    lb_algorithm: 'ROUND_ROBIN',
    listener_id: listener,
    members: [{ address, protocol_port: 80 }],
  });
  await finished(
    call('POST', `/cloud/v1/l7policies/${scope}`, {
      action: 'REDIRECT_TO_POOL',
      listener_id: listener,
      redirect_pool_id: pool,
    }),
  );
  const volume = await make('volumes', { source: 'new-volume', name: 'data', size: 1 });
  await make('snapshots', { name: 'data', volume_id: volume });
  const [member] = (await read(`/cloud/v1/lbpools/${scope}/${pool}`)).members;
  return { load_balancer_id, listener, pool, member: member.id, volume };
}

test('the database refuses a row that would lead into another project', async () => {
  const { body: other } = await server.call('POST', '/cloud/v1/projects', { body: { name: 'other' } });
  const own = await balancer('1/2', '192.0.2.1');
  const foreign = await balancer(`${other.id}/2`, '192.0.2.2');
  const refused = async (sql: string, values: readonly unknown[]) => {
    const fault = await server.db.pool.query(sql, [...values]).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
    return fault === '23503' ? [] : [`${sql}: ${fault}`];
  };
  const faults = [
    await refused('update lb_listeners set default_pool_id = $1 where id = $2', [foreign.pool, own.listener]),
    await refused('update lb_listeners set project_id = $1 where id = $2', [other.id, own.listener]),
    await refused('update lb_listeners set region_id = 1 where id = $1', [own.listener]),
    await refused('update lb_pools set project_id = $1 where id = $2', [other.id, own.pool]),
    await refused('update lb_members set pool_id = $1 where id = $2', [foreign.pool, own.member]),
    await refused('update lb_l7_policies set redirect_pool_id = $1 where listener_id = $2', [
      foreign.pool,
      own.listener,
    ]),
    await refused('update volume_snapshots set project_id = $1 where volume_id = $2', [other.id, own.volume]),
  ];
  expect(faults.flat()).toEqual([]);
});
