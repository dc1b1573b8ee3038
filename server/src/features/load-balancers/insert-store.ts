import type { Tx } from '../../platform/database/db.ts';
import type { Plan } from './plan.ts';

/** Inserts a planned load balancer with all its parts, everything PENDING_CREATE, in one statement: references
 *  between its rows are checked at its end. */
export async function insertLoadBalancer(tx: Tx, plan: Plan): Promise<void> {
  const { loadBalancer, listeners, pools, members, monitors } = plan;
  const alone = listeners.length === 0;
  const rows = alone ? [loadBalancer] : [loadBalancer, listeners, pools, members, monitors];
  await tx.named(
    alone ? 'lb_insert' : 'lb_insert_with_parts',
    alone ? LOAD_BALANCER : WITH_PARTS,
    rows.map((row) => JSON.stringify(row)),
  );
}

const LOAD_BALANCER = `
  insert into load_balancers (id, project_id, region_id, client_id, name, flavor, preferred_connectivity, vip_port_id,
    vip_subnet_id, vip_space, tags, logging, logging_enabled, task_id, creator_task_id, provisioning_status, operating_status, created_at)
  select id, project_id, region_id, client_id, name, flavor, preferred_connectivity, vip_port_id, vip_subnet_id,
         vip_space, tags, logging,
         logging_enabled, task_id, task_id, 'PENDING_CREATE', 'OFFLINE', created_at
    from jsonb_to_record($1::jsonb) as r (id uuid, project_id int, region_id int, client_id int, name text,
      flavor text, preferred_connectivity text, vip_port_id uuid, vip_subnet_id uuid, vip_space uuid, tags jsonb, logging jsonb, logging_enabled boolean, task_id uuid,
      created_at timestamptz)`;

const WITH_PARTS = `
  with lb as (${LOAD_BALANCER} returning id, task_id
   ), pools as (
     insert into lb_pools (id, load_balancer_id, name, protocol, lb_algorithm, session_persistence, secret_id,
       ca_secret_id, crl_secret_id, timeout_client_data, timeout_member_connect, timeout_member_data, created_at,
       creator_task_id, provisioning_status, operating_status)
     select r.id, lb.id, r.name, r.protocol, r.lb_algorithm, r.session_persistence, r.secret_id,
       r.ca_secret_id, r.crl_secret_id, r.timeout_client_data, r.timeout_member_connect, r.timeout_member_data,
       r.created_at, lb.task_id, 'PENDING_CREATE', 'OFFLINE'
       from jsonb_to_recordset($3::jsonb) as r (id uuid, name text, protocol text, lb_algorithm text,
         session_persistence jsonb, secret_id uuid, ca_secret_id uuid, crl_secret_id uuid, timeout_client_data int,
         timeout_member_connect int, timeout_member_data int, created_at timestamptz), lb
   ), members as (
     insert into lb_members (id, pool_id, load_balancer_id, address, protocol_port, weight, backup, instance_id,
       subnet_id, monitor_address, monitor_port, admin_state_up, created_at, creator_task_id, provisioning_status,
       operating_status)
     select r.id, r.pool_id, lb.id, r.address, r.protocol_port, r.weight, r.backup, r.instance_id, r.subnet_id,
       r.monitor_address, r.monitor_port, r.admin_state_up, r.created_at, lb.task_id, 'PENDING_CREATE', 'OFFLINE'
       from jsonb_to_recordset($4::jsonb) as r (id uuid, pool_id uuid, address inet, protocol_port int, weight int,
         backup boolean, instance_id uuid, subnet_id uuid, monitor_address inet, monitor_port int,
         admin_state_up boolean, created_at timestamptz), lb
   ), monitors as (
     insert into lb_health_monitors (id, pool_id, load_balancer_id, type, delay, timeout, max_retries,
       max_retries_down, http_method, http_version, url_path, domain_name, expected_codes, admin_state_up,
       created_at, creator_task_id, provisioning_status, operating_status)
     select r.id, r.pool_id, lb.id, r.type, r.delay, r.timeout, r.max_retries, r.max_retries_down, r.http_method,
       r.http_version, r.url_path, r.domain_name, r.expected_codes, r.admin_state_up, r.created_at, lb.task_id,
       'PENDING_CREATE', 'OFFLINE'
       from jsonb_to_recordset($5::jsonb) as r (id uuid, pool_id uuid, type text, delay int, timeout int,
         max_retries int, max_retries_down int, http_method text, http_version text, url_path text,
         domain_name text, expected_codes text, admin_state_up boolean, created_at timestamptz), lb
   )
   insert into lb_listeners (id, load_balancer_id, default_pool_id, name, protocol, protocol_port, allowed_cidrs,
     connection_limit, insert_x_forwarded, user_list, secret_id, sni_secret_ids, timeout_client_data,
     timeout_member_connect, timeout_member_data, created_at, creator_task_id, provisioning_status,
     operating_status)
   select r.id, lb.id, r.default_pool_id, r.name, r.protocol, r.protocol_port, r.allowed_cidrs, r.connection_limit,
     r.insert_x_forwarded, r.user_list, r.secret_id, r.sni_secret_ids, r.timeout_client_data,
     r.timeout_member_connect, r.timeout_member_data, r.created_at, lb.task_id, 'PENDING_CREATE', 'OFFLINE'
     from jsonb_to_recordset($2::jsonb) as r (id uuid, default_pool_id uuid, name text, protocol text,
       protocol_port int, allowed_cidrs text[], connection_limit int, insert_x_forwarded boolean, user_list jsonb,
       secret_id uuid, sni_secret_ids uuid[], timeout_client_data int, timeout_member_connect int,
       timeout_member_data int, created_at timestamptz), lb`;
