import { NotFound } from '../../kernel/errors.ts';
import { constraintOf, type Db, type Tx } from '../../platform/database/db.ts';
import type { LoadBalancerRow, ProvisioningStatus, Settings } from './model.ts';
import type { Plan } from './plan.ts';

/** Writes of load balancers. Lists are in list-store.ts, whole load balancers in tree-store.ts, what the data
 *  plane says of them in health-store.ts. */

const COLUMNS = `id, project_id, region_id, client_id, name, flavor, preferred_connectivity, vip_address,
  vip_ip_family, tags, logging, admin_state_up, provisioning_status, operating_status, task_id, creator_task_id,
  version, created_at, updated_at`;

/** Inserts a planned load balancer, all of it PENDING_CREATE. */
export async function insertLoadBalancer(tx: Tx, { loadBalancer, ...parts }: Plan): Promise<void> {
  await tx.named(
    'lb_insert',
    `insert into load_balancers (id, project_id, region_id, client_id, name, flavor, preferred_connectivity, tags,
       logging, logging_enabled, task_id, creator_task_id, provisioning_status, operating_status, created_at)
     select id, project_id, region_id, client_id, name, flavor, preferred_connectivity, tags, logging,
            logging_enabled, task_id, task_id, 'PENDING_CREATE', 'OFFLINE', created_at
       from jsonb_to_record($1::jsonb) as r (id uuid, project_id int, region_id int, client_id int, name text,
         flavor text, preferred_connectivity text, tags jsonb, logging jsonb, logging_enabled boolean, task_id uuid,
         created_at timestamptz)`,
    [JSON.stringify(loadBalancer)],
  );
  if (parts.listeners.length > 0) await insertParts(tx, loadBalancer.id, String(loadBalancer.task_id), parts);
}

/** All kinds in one statement; references between them are checked at its end. */
async function insertParts(
  tx: Tx,
  id: string,
  taskId: string,
  { listeners, pools, members, monitors }: Omit<Plan, 'loadBalancer'>,
): Promise<void> {
  await tx.named(
    'lb_insert_parts',
    `with pools as (
       insert into lb_pools (id, load_balancer_id, name, protocol, lb_algorithm, session_persistence, secret_id,
         ca_secret_id, crl_secret_id, timeout_client_data, timeout_member_connect, timeout_member_data, created_at,
         creator_task_id, provisioning_status, operating_status)
       select r.id, $1, r.name, r.protocol, r.lb_algorithm, r.session_persistence, r.secret_id,
         r.ca_secret_id, r.crl_secret_id, r.timeout_client_data, r.timeout_member_connect, r.timeout_member_data,
         r.created_at, $2, 'PENDING_CREATE', 'OFFLINE'
         from jsonb_to_recordset($3::jsonb) as r (id uuid, name text, protocol text, lb_algorithm text,
           session_persistence jsonb, secret_id uuid, ca_secret_id uuid, crl_secret_id uuid, timeout_client_data int,
           timeout_member_connect int, timeout_member_data int, created_at timestamptz)
     ), members as (
       insert into lb_members (id, pool_id, load_balancer_id, address, protocol_port, weight, backup, instance_id,
         subnet_id, monitor_address, monitor_port, admin_state_up, created_at, creator_task_id, provisioning_status,
         operating_status)
       select r.id, r.pool_id, $1, r.address, r.protocol_port, r.weight, r.backup, r.instance_id, r.subnet_id,
         r.monitor_address, r.monitor_port, r.admin_state_up, r.created_at, $2, 'PENDING_CREATE', 'OFFLINE'
         from jsonb_to_recordset($4::jsonb) as r (id uuid, pool_id uuid, address inet, protocol_port int, weight int,
           backup boolean, instance_id uuid, subnet_id uuid, monitor_address inet, monitor_port int,
           admin_state_up boolean, created_at timestamptz)
     ), monitors as (
       insert into lb_health_monitors (id, pool_id, load_balancer_id, type, delay, timeout, max_retries,
         max_retries_down, http_method, http_version, url_path, domain_name, expected_codes, admin_state_up,
         created_at, creator_task_id, provisioning_status, operating_status)
       select r.id, r.pool_id, $1, r.type, r.delay, r.timeout, r.max_retries, r.max_retries_down, r.http_method,
         r.http_version, r.url_path, r.domain_name, r.expected_codes, r.admin_state_up, r.created_at, $2,
         'PENDING_CREATE', 'OFFLINE'
         from jsonb_to_recordset($5::jsonb) as r (id uuid, pool_id uuid, type text, delay int, timeout int,
           max_retries int, max_retries_down int, http_method text, http_version text, url_path text,
           domain_name text, expected_codes text, admin_state_up boolean, created_at timestamptz)
     )
     insert into lb_listeners (id, load_balancer_id, default_pool_id, name, protocol, protocol_port, allowed_cidrs,
       connection_limit, insert_x_forwarded, user_list, secret_id, sni_secret_ids, timeout_client_data,
       timeout_member_connect, timeout_member_data, created_at, creator_task_id, provisioning_status,
       operating_status)
     select r.id, $1, r.default_pool_id, r.name, r.protocol, r.protocol_port, r.allowed_cidrs, r.connection_limit,
       r.insert_x_forwarded, r.user_list, r.secret_id, r.sni_secret_ids, r.timeout_client_data,
       r.timeout_member_connect, r.timeout_member_data, r.created_at, $2, 'PENDING_CREATE', 'OFFLINE'
       from jsonb_to_recordset($6::jsonb) as r (id uuid, default_pool_id uuid, name text, protocol text,
         protocol_port int, allowed_cidrs text[], connection_limit int, insert_x_forwarded boolean, user_list jsonb,
         secret_id uuid, sni_secret_ids uuid[], timeout_client_data int, timeout_member_connect int,
         timeout_member_data int, created_at timestamptz)`,
    [id, taskId, ...[pools, members, monitors, listeners].map((rows) => JSON.stringify(rows))],
  );
}

export interface Where {
  readonly id: string;
  readonly projectId: number;
  readonly regionId: number;
}

/** The row, locked against every other change until the transaction ends.
 *  @throws NotFound */
export async function lockLoadBalancer(tx: Tx, { id, projectId, regionId }: Where): Promise<LoadBalancerRow> {
  const [row] = await tx.named<LoadBalancerRow>(
    'lb_lock',
    `select ${COLUMNS} from load_balancers where id = $1 and project_id = $2 and region_id = $3 for update`,
    [id, projectId, regionId],
  );
  if (!row) throw new NotFound(`Load balancer ${id} was not found`);
  return row;
}

/** Gives the lock to a task. */
export async function holdLoadBalancer(
  tx: Tx,
  id: string,
  to: ProvisioningStatus,
  taskId: string,
): Promise<void> {
  await tx.named(
    'lb_hold',
    'update load_balancers set provisioning_status = $2, task_id = $3 where id = $1',
    [id, to, taskId],
  );
}

/** Writes settings as a new version. */
export async function changeLoadBalancer(tx: Tx, id: string, to: Settings, timestamp: string): Promise<void> {
  await tx.named(
    'lb_change',
    `update load_balancers set name = $2, tags = $3, logging = $4::jsonb,
            logging_enabled = coalesce(($4::jsonb ->> 'enabled')::boolean, false), preferred_connectivity = $5,
            admin_state_up = $6, version = version + 1, updated_at = $7
      where id = $1`,
    [id, ...settingsValues(to), timestamp],
  );
}

/** Puts settings back as yet another version, once: `changed` is the version that is taken back. */
export async function restoreLoadBalancer(
  db: Db,
  { id, taskId, changed }: { id: string; taskId: string; changed: number },
  to: Settings,
): Promise<void> {
  await db.named(
    'lb_restore',
    `update load_balancers set name = $2, tags = $3, logging = $4::jsonb,
            logging_enabled = coalesce(($4::jsonb ->> 'enabled')::boolean, false), preferred_connectivity = $5,
            admin_state_up = $6, version = version + 1
      where id = $1 and task_id = $7 and version = $8`,
    [id, ...settingsValues(to), taskId, changed],
  );
}

function settingsValues({
  name,
  tags,
  logging,
  preferred_connectivity,
  admin_state_up,
}: Settings): unknown[] {
  const json = logging === null ? null : JSON.stringify(logging);
  return [name, JSON.stringify(tags), json, preferred_connectivity, admin_state_up];
}

/** Stores the address of a load balancer that has none yet.
 *  @returns the address that it has now; undefined when another one in the region has this address */
export async function storeAddress(db: Db, id: string, address: string): Promise<string | undefined> {
  try {
    const [row] = await db.named<{ vip_address: string }>(
      'lb_store_address',
      `update load_balancers set vip_address = coalesce(vip_address, $2::inet),
              vip_ip_family = case family(coalesce(vip_address, $2::inet)) when 4 then 'ipv4' else 'ipv6' end
        where id = $1 returning vip_address`,
      [id, address],
    );
    return row?.vip_address;
  } catch (error) {
    if (constraintOf(error) === 'load_balancers_vip') return undefined;
    throw error;
  }
}

export async function readAddresses(db: Db, regionId: number): Promise<ReadonlySet<string>> {
  const rows = await db.named<{ vip_address: string }>(
    'lb_addresses',
    'select vip_address from load_balancers where region_id = $1 and vip_address is not null',
    [regionId],
  );
  return new Set(rows.map((row) => row.vip_address));
}

/** Removes a load balancer and all its parts while the task holds it.
 *  @returns whether there was anything to remove */
export async function deleteLoadBalancer(tx: Tx, id: string, taskId: string): Promise<boolean> {
  const rows = await tx.named(
    'lb_delete',
    'delete from load_balancers where id = $1 and task_id = $2 returning 1',
    [id, taskId],
  );
  return rows.length > 0;
}

/** Ends a task's hold in ERROR. */
export async function markFailed(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.named(
    'lb_failed',
    `update load_balancers set provisioning_status = 'ERROR', task_id = null where id = $1 and task_id = $2`,
    [id, taskId],
  );
}
