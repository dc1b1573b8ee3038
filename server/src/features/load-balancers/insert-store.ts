import type { Tx } from '../../platform/database/db.ts';
import { listOf } from '../../platform/database/rows.ts';
import { raw, type Sql, sql } from '../../platform/database/sql.ts';
import { given } from '../networking/addresses/index.ts';
import { PORTS_OF_NEW_LOAD_BALANCERS } from '../networking/ports/index.ts';
import { INSERTED } from './columns.ts';
import { insertionOfParts } from './parts/store.ts';
import type { Plan } from './plan.ts';

/** Inserts a planned load balancer with all its parts, everything PENDING_CREATE, in one statement: references
 *  between its rows are checked at its end. A `vip_address` that something else has already is left out. */
export const insertLoadBalancer = (tx: Tx, { loadBalancer, parts }: Plan): Promise<void> => {
  const row = withPort(loadBalancer);
  const { listener, pool, member, monitor } = parts.of;
  if (listener.length === 0) return tx.run(sql`${row} select`);
  return tx.run(sql`
    ${row}, pools as (${insertionOfParts('pool', pool)}), members as (${insertionOfParts('member', member)}),
         monitors as (${insertionOfParts('monitor', monitor)})
    ${insertionOfParts('listener', listener)}`);
};

/** An address that something else has already is left to the task. */
const FREE_ADDRESS = `case when not exists (select from region_addresses a where a.region_id = r.region_id
    and a.space = r.vip_space and a.address = r.vip_address) then r.vip_address end`;
const VALUES = raw(INSERTED.map((name) => (name === 'vip_address' ? FREE_ADDRESS : `r.${name}`)).join(', '));

const insertion = (loadBalancer: Plan['loadBalancer']): Sql => sql`
  insert into load_balancers (${listOf(INSERTED)}, logging_enabled, creator_task_id, provisioning_status,
    operating_status)
  select ${VALUES}, coalesce((r.logging ->> 'enabled')::boolean, false), r.task_id, 'PENDING_CREATE', 'OFFLINE'
    from jsonb_populate_record(null::load_balancers, ${JSON.stringify(loadBalancer)}::jsonb) r`;

const VIP = sql`select region_id, vip_space as space, vip_address as address, vip_port_id as owner_id,
  vip_subnet_id as subnet_id from lb`;

/** With its port and its address. */
const withPort = (loadBalancer: Plan['loadBalancer']): Sql =>
  sql`with lb as (${insertion(loadBalancer)} returning *), ${PORTS_OF_NEW_LOAD_BALANCERS}, ${given(VIP)}`;
