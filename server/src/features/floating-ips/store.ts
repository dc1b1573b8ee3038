import { NotFound } from '../../kernel/errors.ts';
import { constraintOf, type Db, type Queryable, type Tx } from '../../platform/database/db.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import type { FloatingIpRow, FloatingIpView } from './model.ts';

/** Changes of floating IPs; lists are in list-store.ts. */

const COLUMNS = `id, project_id, region_id, client_id, floating_ip_address, load_balancer_id, status, tags, task_id,
  creator_task_id, created_at, updated_at`;

export interface Where {
  readonly id: string;
  readonly projectId: number;
  readonly regionId: number;
}

export interface NewFloatingIp {
  readonly id: string;
  readonly projectId: number;
  readonly regionId: number;
  readonly clientId: number;
  readonly loadBalancerId: string | null;
  readonly tags: StoredTags;
  readonly taskId: string;
  readonly timestamp: string;
}

export async function insertFloatingIp(tx: Tx, row: NewFloatingIp): Promise<void> {
  await tx.named(
    'fip_insert',
    `insert into floating_ips (id, project_id, region_id, client_id, load_balancer_id, tags, task_id,
            creator_task_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $8)`,
    [
      row.id,
      row.projectId,
      row.regionId,
      row.clientId,
      row.loadBalancerId,
      JSON.stringify(row.tags),
      row.taskId,
      row.timestamp,
    ],
  );
}

/** @throws NotFound */
export async function lockFloatingIp(tx: Tx, { id, projectId, regionId }: Where): Promise<FloatingIpRow> {
  const [row] = await tx.named<FloatingIpRow>(
    'fip_lock',
    `select ${COLUMNS} from floating_ips where id = $1 and project_id = $2 and region_id = $3 for update`,
    [id, projectId, regionId],
  );
  if (!row) throw new NotFound(`Floating IP ${id} was not found`);
  return row;
}

export async function readFloatingIp(
  db: Queryable,
  { id, projectId, regionId }: Where,
): Promise<FloatingIpView | undefined> {
  const [row] = await db.named<FloatingIpView>(
    'fip_get',
    `select f.id, f.project_id, f.region_id, f.floating_ip_address, f.load_balancer_id, f.status, f.tags, f.task_id,
            f.creator_task_id, f.created_at, f.updated_at, lb.vip_port_id as port_id,
            lb.vip_address as fixed_ip_address
       from floating_ips f left join load_balancers lb on lb.id = f.load_balancer_id
      where f.id = $1 and f.project_id = $2 and f.region_id = $3`,
    [id, projectId, regionId],
  );
  return row;
}

/** Those that a task holds. */
export async function readHeld(db: Queryable, taskId: string): Promise<FloatingIpRow[]> {
  return db.named<FloatingIpRow>('fip_held', `select ${COLUMNS} from floating_ips where task_id = $1`, [
    taskId,
  ]);
}

/** Id of the floating IP that the load balancer carries. */
export async function carriedBy(tx: Tx, loadBalancerId: string): Promise<string | undefined> {
  const [row] = await tx.named<{ id: string }>(
    'fip_carried',
    'select id from floating_ips where load_balancer_id = $1',
    [loadBalancerId],
  );
  return row?.id;
}

/** Gives the lock to a task. */
export async function holdFloatingIp(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.named('fip_hold', 'update floating_ips set task_id = $2 where id = $1', [id, taskId]);
}

/** Ends a task's hold.
 *  @param tags that it has from now on; null: those that it had */
export async function releaseFloatingIp(
  tx: Tx,
  { id, taskId, timestamp }: { id: string; taskId: string; timestamp: string },
  tags: StoredTags | null = null,
): Promise<void> {
  await tx.named(
    'fip_release',
    `update floating_ips set task_id = null, tags = coalesce($4::jsonb, tags), updated_at = $3
      where id = $1 and task_id = $2`,
    [id, taskId, timestamp, tags === null ? null : JSON.stringify(tags)],
  );
}

/** Moves it to a load balancer, or away from any.
 *  @returns whether it was not there yet */
export async function moveFloatingIp(
  tx: Tx,
  { id, taskId }: { id: string; taskId: string },
  to: string | null,
): Promise<boolean> {
  const rows = await tx.named(
    'fip_move',
    `update floating_ips set load_balancer_id = $3::uuid
      where id = $1 and task_id = $2 and load_balancer_id is distinct from $3::uuid returning 1`,
    [id, taskId, to],
  );
  return rows.length > 0;
}

/** Stores the address of a floating IP that has none yet.
 *  @returns the address that it has now; undefined when something else in the region has this one */
export async function storeFloatingAddress(db: Db, id: string, address: string): Promise<string | undefined> {
  try {
    const [row] = await db.named<{ floating_ip_address: string }>(
      'fip_store_address',
      `update floating_ips set floating_ip_address = coalesce(floating_ip_address, $2::inet) where id = $1
       returning floating_ip_address`,
      [id, address],
    );
    return row?.floating_ip_address;
  } catch (error) {
    if (constraintOf(error) === 'region_addresses_pkey') return undefined;
    throw error;
  }
}

/** Removes it while the task holds it.
 *  @returns whether there was anything to remove */
export async function deleteFloatingIp(tx: Tx, id: string, taskId: string): Promise<boolean> {
  const rows = await tx.named(
    'fip_delete',
    'delete from floating_ips where id = $1 and task_id = $2 returning 1',
    [id, taskId],
  );
  return rows.length > 0;
}
