import type { Tx } from '../../platform/database/db.ts';
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
    alone ? LOAD_BALANCER : WITH_PARTS,
    rows.map((row) => JSON.stringify(row)),
  );
}

const LOAD_BALANCER = `
  insert into load_balancers (id, project_id, region_id, client_id, name, flavor, preferred_connectivity, vip_port_id,
    vip_ip_family, vip_subnet_id, vip_space, vip_address, additional_subnet_id, additional_space, tags, logging,
    logging_enabled, task_id, creator_task_id, provisioning_status, operating_status, created_at)
  select id, project_id, region_id, client_id, name, flavor, preferred_connectivity, vip_port_id,
         vip_ip_family, vip_subnet_id, vip_space,
         case when not exists (select from region_addresses a where a.region_id = r.region_id
           and a.space = r.vip_space and a.address = r.vip_address) then vip_address end,
         additional_subnet_id, additional_space, tags, logging, logging_enabled, task_id, task_id, 'PENDING_CREATE', 'OFFLINE', created_at
    from jsonb_to_record($1::jsonb) as r (id uuid, project_id int, region_id int, client_id int, name text,
      flavor text, preferred_connectivity text, vip_port_id uuid, vip_ip_family text, vip_subnet_id uuid,
      vip_space uuid, vip_address inet, additional_subnet_id uuid, additional_space uuid, tags jsonb, logging jsonb,
      logging_enabled boolean, task_id uuid, created_at timestamptz)`;

const WITH_PARTS = `
  with lb as (${LOAD_BALANCER}), pools as (${insertSql('pool', 3)}), members as (${insertSql('member', 4)}),
       monitors as (${insertSql('monitor', 5)})
  ${insertSql('listener', 2)}`;
