import type { Tx } from '../../platform/database/db.ts';
import { listOf } from '../../platform/database/rows.ts';
import { given } from '../networking/addresses/index.ts';
import { PORTS_OF_NEW_LOAD_BALANCERS } from '../networking/ports/index.ts';
import { INSERTED } from './columns.ts';
import { insertSql } from './parts/store.ts';
import type { Plan } from './plan.ts';

/** Inserts a planned load balancer with all its parts, everything PENDING_CREATE, in one statement: references
 *  between its rows are checked at its end. A `vip_address` that something else has already is left out. */
export async function insertLoadBalancer(tx: Tx, { loadBalancer, parts }: Plan): Promise<void> {
  const { listener, pool, member, monitor } = parts.of;
  const alone = listener.length === 0;
  const rows = alone ? [loadBalancer] : [loadBalancer, listener, pool, member, monitor];
  await tx.named(
    alone ? 'lb_insert' : 'lb_insert_with_parts',
    alone ? `${WITH_PORT} select` : WITH_PARTS,
    rows.map((row) => JSON.stringify(row)),
  );
}

/** An address that something else has already is left to the task. */
const FREE_ADDRESS = `case when not exists (select from region_addresses a where a.region_id = r.region_id
    and a.space = r.vip_space and a.address = r.vip_address) then r.vip_address end`;

const INSERT = `
  insert into load_balancers (${listOf(INSERTED)}, logging_enabled, creator_task_id, provisioning_status,
    operating_status)
  select ${INSERTED.map((name) => (name === 'vip_address' ? FREE_ADDRESS : `r.${name}`)).join(', ')},
         coalesce((r.logging ->> 'enabled')::boolean, false), r.task_id, 'PENDING_CREATE', 'OFFLINE'
    from jsonb_populate_record(null::load_balancers, $1::jsonb) r`;

const VIP = `select region_id, vip_space as space, vip_address as address, vip_port_id as owner_id,
  vip_subnet_id as subnet_id from lb`;

/** With its port and its address. */
const WITH_PORT = `with lb as (${INSERT} returning *), ${PORTS_OF_NEW_LOAD_BALANCERS}, ${given(VIP)}`;
const WITH_PARTS = `${WITH_PORT}, pools as (${insertSql('pool', 3)}), members as (${insertSql('member', 4)}),
     monitors as (${insertSql('monitor', 5)})
  ${insertSql('listener', 2)}`;
