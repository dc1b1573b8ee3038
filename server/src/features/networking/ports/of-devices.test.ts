import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { project } from '../../../../../test/harness/project.ts';
import { startTestServer } from '../../../../../test/harness/server.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import { deleteLoadBalancer } from '../../load-balancers/store.ts';
import { LBS, web } from '../../load-balancers/testing/bodies.ts';
import { closePorts } from './index.ts';
import { anInstance, openFor } from './testing/instances.ts';

/** Ports go with their devices, whatever else happens to them in the same moment. */

const server = shared(startTestServer);

const { make, read } = project(() => server);

/** Two transactions: the second waits for a row of the first, which ends then. */
async function inEachOthersWay(
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<void> {
  let waiting: Promise<unknown> = Promise.resolve();
  await server.db.transaction(async (tx) => {
    await first(tx);
    waiting = second();
    await waitUntil(
      async () => {
        const { rows } = await server.db.pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      },
      { what: 'the second to wait' },
    );
  });
  await waiting;
}

test('a port that is reserved while its load balancer is being deleted stays, without a device', async () => {
  const id = await make('loadbalancers', web);
  const { vip_port_id: port, vip_address: address } = await read(`${LBS}/${id}`);
  const task = randomUUID();
  await server.db.pool.query('update load_balancers set task_id = $2 where id = $1', [id, task]);
  // Reserving has locked the load balancer; the end of its deletion waits for it.
  await inEachOthersWay(
    async (tx) => {
      await tx.run(sql`select from load_balancers where id = ${id} for update`);
      await tx.run(sql`update ports set reserved = true where id = ${port}`);
    },
    () => server.db.transaction((tx) => deleteLoadBalancer(tx, id, task)),
  );
  expect((await server.call('GET', `${LBS}/${id}`)).status).toBe(404);
  const { rows } = await server.db.pool.query(
    `select p.device_id, host(a.address) as address from ports p join region_addresses a on a.owner_id = p.id
      where p.id = $1`,
    [port],
  );
  expect(rows).toEqual([{ device_id: null, address }]);
});

test('a floating IP that comes to a port while that is being removed leads nowhere', async () => {
  const device = anInstance();
  const { ports } = await openFor(server, device, { type: 'external' });
  const port = String(ports[0]?.id);
  const floating = await make('floatingips', {});
  await inEachOthersWay(
    async (tx) => {
      await tx.run(sql`select from ports where id = ${port} for update`);
      await tx.run(sql`update floating_ips set port_id = ${port} where id = ${floating}`);
    },
    () => server.db.transaction((tx) => closePorts(tx, [port], new Date().toISOString())),
  );
  const { rows } = await server.db.pool.query('select port_id from floating_ips where id = $1', [floating]);
  expect(rows).toEqual([{ port_id: null }]);
});
