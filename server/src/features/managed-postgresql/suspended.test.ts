import { expect, test } from 'vitest';
import { keeping } from '../../../../test/harness/keeping.ts';
import { CLUSTERS, clusterBody } from '../../../../test/harness/managed-postgresql.ts';
import { pauseDataPlanes } from '../../../../test/harness/paused.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import type { ObservedCluster, PostgresqlProvider } from './port.ts';
import { Reconciler } from './reconciler.ts';

/** Clusters of a client that is suspended, whose servers are ended on purpose. */

const server = shared(startTestServer);

const FAULT = 'Its data are on another machine';
const SEEN: Omit<ObservedCluster, 'metrics'> = {
  fault: FAULT,
  databaseSizes: { shop: 7 },
  servers: {
    primary: 'b',
    replica: { name: 'a', may_take_over: true },
    missing: 'the replica is copied',
    phase: 'down',
    took_over_at: null,
  },
};

test('one that had a fault is stopped while its client is suspended, and has no fault', async () => {
  const region = server.providers.of('postgresql')(2);
  if (!region) throw new Error('region 2 has no PostgreSQL');
  await server.ended(await server.call('POST', CLUSTERS, { body: clusterBody('shop') }));
  const read = async (path: string) => (await server.call('GET', path)).body;
  const { fault: _, ...metrics } = await read(`${CLUSTERS}/shop/metrics`);
  const paused: string[] = [];
  let seen: ObservedCluster = { ...SEEN, metrics };
  const provider: PostgresqlProvider = {
    ...region,
    observeClusters: async (ids) => new Map(ids.map((id) => [id, seen])),
    pause: async (id) => void paused.push(id),
  };
  const reconciler = new Reconciler(keeping(server, provider));
  await server.db.run(
    sql`insert into region_owners (region_id, node) values (2, 'other') on conflict do nothing`,
  );
  const said = async () => {
    const { phase, servers, missing } = await read('/virga/v1/postgresql_clusters/1/2/shop/servers');
    const { regions } = (await server.call('GET', '/virga/v1/nodes', { as: 'operator' })).body;
    return {
      status: (await read(`${CLUSTERS}/shop`)).status,
      fault: (await read(`${CLUSTERS}/shop/metrics`)).fault,
      phase,
      missing,
      servers: servers.map((each: { name: string; is_ready: boolean }) => `${each.name} ${each.is_ready}`),
      needs: (await read('/virga/v1/attention/1')).results.map(({ reason }: { reason: string }) => reason),
      notServed: regions.find((each: { region_id: number }) => each.region_id === 2).not_served_count,
    };
  };
  const ill = {
    status: 'UNHEALTHY',
    fault: FAULT,
    phase: 'down',
    missing: 'the replica is copied',
    servers: ['b false', 'a true'],
    needs: [FAULT],
    notServed: 1,
  };
  await reconciler.run();
  expect(await said()).toEqual(ill);
  await pauseDataPlanes(server, true);
  const stopped = {
    status: 'READY',
    fault: null,
    phase: 'stopped',
    missing: null,
    servers: ['b false', 'a false'],
    needs: [],
    notServed: 0,
  };
  for (const _look of [1, 2]) {
    await reconciler.run();
    expect(await said()).toEqual(stopped);
  }
  expect(paused).toHaveLength(2);
  await pauseDataPlanes(server, false);
  await reconciler.run();
  expect(await said()).toEqual(ill);
  // With a fault that is not the region's.
  if (SEEN.servers) seen = { ...seen, servers: { ...SEEN.servers, phase: 'read_only' } };
  await reconciler.run();
  expect(await said()).toMatchObject({ fault: FAULT, phase: 'read_only', notServed: 0 });
});
