import { NotFound } from '../../kernel/errors.ts';
import { constraintOf, type Db, type Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import type { LoadBalancerRow, ProvisioningStatus, Settings } from './model.ts';

const held = heldTable('load_balancers');

/** Changes of load balancers. Creation is in insert-store.ts, lists are in list-store.ts, whole load balancers in
 *  tree-store.ts, what the data plane says of them in health-store.ts. */

const COLUMNS = `id, project_id, region_id, client_id, name, flavor, preferred_connectivity, vip_address,
  vip_ip_family, vip_port_id, vip_subnet_id, vip_space, additional_address,
  additional_subnet_id, additional_space, tags, logging, admin_state_up, provisioning_status, operating_status,
  task_id, creator_task_id, version, created_at, updated_at`;

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

/** Id of the load balancer with this port. */
export async function findByPort(tx: Tx, portId: string): Promise<string | undefined> {
  const [row] = await tx.named<{ id: string }>(
    'lb_by_port',
    'select id from load_balancers where vip_port_id = $1',
    [portId],
  );
  return row?.id;
}

/** Notes as a new version that floating IPs have come or gone, while the task holds it. */
export async function noteFloatingIps(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.named(
    'lb_note_floating_ips',
    `update load_balancers set version = version + 1,
            assigned_floating = exists (select from floating_ips f where f.load_balancer_id = $1)
      where id = $1 and task_id = $2`,
    [id, taskId],
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

export type VipColumn = 'vip_address' | 'additional_address';

/** Stores an address of a load balancer that does not have it yet.
 *  @returns the address that it has now; undefined when something else in the region has this address */
export async function storeAddress(
  db: Db,
  id: string,
  column: VipColumn,
  address: string,
): Promise<string | undefined> {
  try {
    const [row] = await db.named<{ address: string }>(
      `lb_store_${column}`,
      `update load_balancers set ${column} = coalesce(${column}, $2::inet) where id = $1
       returning ${column} as address`,
      [id, address],
    );
    return row?.address;
  } catch (error) {
    if (constraintOf(error) === 'region_addresses_pkey') return undefined;
    throw error;
  }
}

/** Removes a load balancer and all its parts while the task holds it.
 *  @returns whether there was anything to remove */
export const deleteLoadBalancer = held.deleteHeld;
