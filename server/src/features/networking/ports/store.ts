import { NotFound } from '../../../kernel/errors.ts';
import { type Queryable, type Tx, together } from '../../../platform/database/db.ts';
import { type Hold, heldTable } from '../../../platform/database/held-table.ts';
import { listOf } from '../../../platform/database/rows.ts';
import type { Place, Placed } from '../../../platform/http/context.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import { type Device, PORT_COLUMNS, type PortRow, type PortSettings } from './model.ts';
import { portsOfGone } from './of-devices.ts';

/** Changes of ports and their addresses; lists are in list-store.ts. */

// What has no subnet of its own is in that of the region's network which its address belongs to.
/** The addresses of a port `p`. */
export const PORT_ASSIGNMENTS = `coalesce((
  select jsonb_agg(jsonb_build_object('ip_address', host(a.address), 'subnet_id', coalesce(a.subnet_id, (
           select s.id from subnets s where s.network_id = p.network_id
            order by s.cidr >>= a.address desc, s.created_at limit 1)))
         order by family(a.address), a.address)
    from region_addresses a where a.owner_id = p.id), '[]')`;

/** Of a port `p`. */
export const SHOWN_PORT = `${listOf(PORT_COLUMNS, 'p')}, ${PORT_ASSIGNMENTS} as ip_assignments`;

/** Ports of a project, which tasks hold. */
export const {
  read: readPort,
  lock: lockPort,
  lockFree: lockFreePort,
  hold: holdPort,
} = heldTable<PortRow>('ports', 'Port', {
  columns: SHOWN_PORT,
  alias: 'p',
  readAfterLock: true,
});

/** Locks the reserved fixed IP of this port.
 *  @returns the task that holds it, null when none does, undefined when the project has no such reserved fixed IP */
export async function lockReservation(tx: Tx, where: Placed): Promise<string | null | undefined> {
  const [row] = await tx.named<{ task_id: string | null }>(
    'port_reservation_lock',
    `select task_id from reserved_fixed_ips where port_id = $1 and project_id = $2 and region_id = $3 for update`,
    [where.id, where.projectId, where.regionId],
  );
  return row?.task_id;
}

/** Ports of the project, locked, in any order.
 *  @throws NotFound for the first that is not there */
export async function lockPorts(
  tx: Tx,
  { projectId, regionId }: Place,
  ids: readonly string[],
): Promise<PortRow[]> {
  await tx.named(
    'ports_lock',
    'select 1 from ports where id = any($1::uuid[]) and project_id = $2 and region_id = $3 order by id for update',
    [ids, projectId, regionId],
  );
  const rows = await tx.named<PortRow>(
    'ports_get_many',
    `select ${SHOWN_PORT} from ports p where p.id = any($1::uuid[]) and p.project_id = $2 and p.region_id = $3`,
    [ids, projectId, regionId],
  );
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw new NotFound(`Port ${missing} was not found`);
  return rows;
}

interface AllowedAddress {
  /** Of the ports. */
  readonly ids: readonly string[];
  readonly address: string;
  readonly timestamp: string;
}

/** Adds an address to the allowed address pairs of ports that do not have it. */
export async function allowAddress(tx: Tx, { ids, address, timestamp }: AllowedAddress): Promise<void> {
  await tx.named(
    'ports_allow_address',
    `update ports set allowed_address_pairs = allowed_address_pairs ||
            jsonb_build_array(jsonb_build_object('ip_address', $2::text)), updated_at = $3
      where id = any($1::uuid[])`,
    [ids, address, timestamp],
  );
}

/** Removes an address from the allowed address pairs of ports. */
export async function disallowAddress(tx: Tx, { ids, address, timestamp }: AllowedAddress): Promise<void> {
  await tx.named(
    'ports_disallow_address',
    `update ports set updated_at = $3, allowed_address_pairs = (
       select coalesce(jsonb_agg(pair order by place), '[]')
         from jsonb_array_elements(allowed_address_pairs) with ordinality as pairs (pair, place)
        where pair ->> 'ip_address' <> $2::text)
      where id = any($1::uuid[])`,
    [ids, address, timestamp],
  );
}

/** The instances that have an address of the port among the allowed address pairs of their own ports. */
export async function sharersOf(tx: Tx, port: PortRow): Promise<string[]> {
  const rows = await tx.named<{ device_id: string }>(
    'port_sharers',
    `select distinct c.device_id from region_addresses a join ports c
         on c.network_id = $2 and c.device_type = 'instance' and c.allowed_address_pairs <> '[]'
        and c.allowed_address_pairs @> jsonb_build_array(jsonb_build_object('ip_address', host(a.address)))
      where a.owner_id = $1 and c.id <> $1 and c.device_id is not null`,
    [port.id, port.network_id],
  );
  return rows.map((row) => row.device_id);
}

/** Locks the ports of a device. */
export async function lockDevice(tx: Tx, { type, id }: Device): Promise<void> {
  await tx.named(
    'ports_lock_device',
    'select 1 from ports where device_id = $1 and device_type = $2 order by id for update',
    [id, type],
  );
}

/** A floating IP that leads to one of these addresses of the port. */
export async function floatingIpOn(
  tx: Tx,
  id: string,
  addresses: readonly string[],
): Promise<{ readonly id: string; readonly address: string } | undefined> {
  return tx.namedRow<{ id: string; address: string }>(
    'port_floating_ip_on',
    `select id, host(fixed_ip_address) as address from floating_ips
      where port_id = $1 and fixed_ip_address = any($2::inet[]) limit 1`,
    [id, addresses],
  );
}

/** The ports of these devices, each device's in their order. */
export async function readPortsOf(
  db: Queryable,
  type: Device['type'],
  ids: readonly string[],
): Promise<PortRow[]> {
  if (ids.length === 0) return [];
  return db.named<PortRow>(
    'ports_of_devices',
    `select ${SHOWN_PORT} from ports p where p.device_id = any($2::uuid[]) and p.device_type = $1
      order by p.device_id, p.position, p.created_at, p.id`,
    [type, [...new Set(ids)]],
  );
}

export interface NewPort extends Placed {
  readonly clientId: number;
  readonly networkId: string;
  readonly device: Device | null;
  readonly interfaceName: string | null;
  readonly securityGroupIds: readonly string[];
  readonly timestamp: string;
}

/** The next position of a device's ports; its id is to follow. */
const NEXT_POSITION = 'select coalesce(max(o.position) + 1, 0) from ports o where o.device_id =';

export async function insertPort(tx: Tx, port: NewPort): Promise<void> {
  await tx.named(
    'port_insert',
    `insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, interface_name,
            security_group_ids, created_at, updated_at, position)
     values ($1, $2, $3, $4, $5, $6, $7::uuid, $8, $9, $10, $10, (${NEXT_POSITION} $7::uuid))`,
    [
      port.id,
      port.projectId,
      port.regionId,
      port.clientId,
      port.networkId,
      port.device?.type ?? null,
      port.device?.id ?? null,
      port.interfaceName,
      port.securityGroupIds,
      port.timestamp,
    ],
  );
}

export interface Attachment {
  readonly device: Device;
  readonly interfaceName: string | null;
  /** undefined: those that it has. */
  readonly securityGroupIds: readonly string[] | undefined;
}

/** Gives a port that belongs to nothing to a device. */
export async function attachPort(tx: Tx, id: string, to: Attachment, timestamp: string): Promise<void> {
  await tx.named(
    'port_attach',
    `update ports set device_type = $2, device_id = $3::uuid, position = (${NEXT_POSITION} $3::uuid),
            interface_name = $4, security_group_ids = coalesce($5::uuid[], security_group_ids), updated_at = $6
      where id = $1`,
    [id, to.device.type, to.device.id, to.interfaceName, to.securityGroupIds ?? null, timestamp],
  );
}

/** Removes ports; reserved ones only lose their device.
 *  @returns how many external addresses were freed */
export async function removePorts(tx: Tx, ids: readonly string[], timestamp: string): Promise<number> {
  if (ids.length === 0) return 0;
  const locked = tx.named(
    'ports_lock_removed',
    'select from ports where id = any($1::uuid[]) order by id for update',
    [ids],
  );
  const counted = tx.named<{ external: number }>(
    'ports_external',
    `select count(*) as external from ports p join networks n on n.id = p.network_id and n.external
       join region_addresses a on a.owner_id = p.id where p.id = any($1::uuid[]) and not p.reserved`,
    [ids],
  );
  const removed = tx.named(
    'ports_remove',
    `with gone as (select unnest($1::uuid[]) as port_id), ${portsOfGone('$2')} select`,
    [ids, timestamp],
  );
  const [, [row]] = await together([locked, counted, removed]);
  return row?.external ?? 0;
}

export async function setPortTags(tx: Tx, id: string, tags: StoredTags): Promise<void> {
  await tx.named('port_set_tags', 'update ports set tags = $2 where id = $1', [id, JSON.stringify(tags)]);
}

/** Whether the task still holds the port; locks it. */
export async function isHeldPort(tx: Tx, id: string, taskId: string): Promise<boolean> {
  return tx.namedAny('port_held', 'select 1 from ports where id = $1 and task_id = $2 for update', [
    id,
    taskId,
  ]);
}

/** Ends a task's hold, with what it changes, if anything. */
export async function releasePort(tx: Tx, hold: Hold, settings: PortSettings | null = null): Promise<void> {
  await tx.named(
    'port_release',
    `update ports set task_id = null, port_security_enabled = coalesce($4, port_security_enabled),
            security_group_ids = coalesce($5::uuid[], security_group_ids),
            allowed_address_pairs = coalesce($6::jsonb, allowed_address_pairs), tags = coalesce($7::jsonb, tags),
            updated_at = case when $4::boolean is null then updated_at else $3 end
      where id = $1 and task_id = $2`,
    [
      ...[hold.id, hold.taskId, hold.timestamp],
      settings?.port_security_enabled ?? null,
      settings?.security_group_ids ?? null,
      settings ? JSON.stringify(settings.allowed_address_pairs) : null,
      settings ? JSON.stringify(settings.tags) : null,
    ],
  );
}

/** Which security groups filter a port from now on. The caller has locked it. */
export async function setSecurityGroups(
  tx: Tx,
  id: string,
  groupIds: readonly string[],
  timestamp: string,
): Promise<void> {
  await tx.named(
    'port_set_groups',
    `update ports set security_group_ids = $2::uuid[], updated_at = $3
      where id = $1 and security_group_ids <> $2::uuid[]`,
    [id, groupIds, timestamp],
  );
}
