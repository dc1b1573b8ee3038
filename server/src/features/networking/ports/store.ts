import { NotFound } from '../../../kernel/errors.ts';
import { type Queryable, type Tx, together } from '../../../platform/database/db.ts';
import { type Hold, heldTable } from '../../../platform/database/held-table.ts';
import { listOf } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Scope, Scoped } from '../../../platform/http/context.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import { type Device, PORT_COLUMNS, type PortRow, type PortSettings } from './model.ts';
import { portsOfGone } from './of-devices.ts';

/** Changes of ports and their addresses; lists are in list-store.ts. */

// What has no subnet of its own is in that of the region's network which its address belongs to.
/** The addresses of a port `p`. */
export const PORT_ASSIGNMENTS = sql`coalesce((
  select jsonb_agg(jsonb_build_object('ip_address', host(a.address), 'subnet_id', coalesce(a.subnet_id, (
           select s.id from subnets s where s.network_id = p.network_id
            order by s.cidr >>= a.address desc, s.created_at limit 1)))
         order by family(a.address), a.address)
    from region_addresses a where a.owner_id = p.id), '[]')`;

/** Of a port `p`. */
export const SHOWN_PORT = sql`${listOf(PORT_COLUMNS, 'p')}, ${PORT_ASSIGNMENTS} as ip_assignments`;

/** Ports of a project, which tasks hold. */
export const {
  read: readPort,
  readMany: readPorts,
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
export async function lockReservation(tx: Tx, where: Scoped): Promise<string | null | undefined> {
  const [row] = await tx.rows<{ task_id: string | null }>(
    sql`select task_id from reserved_fixed_ips where port_id = ${where.id} and project_id = ${where.projectId} and region_id = ${where.regionId} for update`,
  );
  return row?.task_id;
}

/** Ports of the project, locked, in any order.
 *  @throws NotFound for the first that is not there */
export async function lockPorts(
  tx: Tx,
  { projectId, regionId }: Scope,
  ids: readonly string[],
): Promise<PortRow[]> {
  await tx.run(
    sql`select 1 from ports where id = any(${ids}::uuid[]) and project_id = ${projectId} and region_id = ${regionId} order by id for update`,
  );
  const rows = await tx.rows<PortRow>(
    sql`select ${SHOWN_PORT} from ports p where p.id = any(${ids}::uuid[]) and p.project_id = ${projectId} and p.region_id = ${regionId}`,
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
  await tx.run(sql`update ports set allowed_address_pairs = allowed_address_pairs ||
            jsonb_build_array(jsonb_build_object('ip_address', ${address}::text)), updated_at = ${timestamp}
      where id = any(${ids}::uuid[])`);
}

/** Removes an address from the allowed address pairs of ports. */
export async function disallowAddress(tx: Tx, { ids, address, timestamp }: AllowedAddress): Promise<void> {
  await tx.run(sql`update ports set updated_at = ${timestamp}, allowed_address_pairs = (
       select coalesce(jsonb_agg(pair order by place), '[]')
         from jsonb_array_elements(allowed_address_pairs) with ordinality as pairs (pair, place)
        where pair ->> 'ip_address' <> ${address}::text)
      where id = any(${ids}::uuid[])`);
}

/** The instances that have an address of the port among the allowed address pairs of their own ports. */
export async function sharersOf(tx: Tx, port: PortRow): Promise<string[]> {
  const rows = await tx.rows<{
    device_id: string;
  }>(sql`select distinct c.device_id from region_addresses a join ports c
         on c.network_id = ${port.network_id} and c.device_type = 'instance' and c.allowed_address_pairs <> '[]'
        and c.allowed_address_pairs @> jsonb_build_array(jsonb_build_object('ip_address', host(a.address)))
      where a.owner_id = ${port.id} and c.id <> ${port.id} and c.device_id is not null`);
  return rows.map((row) => row.device_id);
}

/** Locks the ports of a device. */
export async function lockDevice(tx: Tx, { type, id }: Device): Promise<void> {
  await tx.run(
    sql`select 1 from ports where device_id = ${id} and device_type = ${type} order by id for update`,
  );
}

/** A floating IP that leads to one of these addresses of the port. */
export async function floatingIpOn(
  tx: Tx,
  id: string,
  addresses: readonly string[],
): Promise<{ readonly id: string; readonly address: string } | undefined> {
  return tx.row<{
    id: string;
    address: string;
  }>(sql`select id, host(fixed_ip_address) as address from floating_ips
      where port_id = ${id} and fixed_ip_address = any(${addresses}::inet[]) limit 1`);
}

/** The ports of these devices, each device's in their order. */
export async function readPortsOf(
  db: Queryable,
  type: Device['type'],
  ids: readonly string[],
): Promise<PortRow[]> {
  if (ids.length === 0) return [];
  return db.rows<PortRow>(sql`select ${SHOWN_PORT} from ports p where p.device_id = any(${[...new Set(ids)]}::uuid[]) and p.device_type = ${type}
      order by p.device_id, p.position, p.created_at, p.id`);
}

/** Those of a region that are there by themselves: reserved ones, and those of instances. */
export async function readOwnPortsIn(db: Queryable, regionId: number): Promise<PortRow[]> {
  return db.rows<PortRow>(
    sql`select ${SHOWN_PORT} from ports p where p.region_id = ${regionId} and (p.reserved or p.device_type = 'instance')`,
  );
}

export interface NewPort extends Scoped {
  readonly clientId: number;
  readonly networkId: string;
  readonly device: Device | null;
  readonly interfaceName: string | null;
  readonly securityGroupIds: readonly string[];
  readonly timestamp: string;
}

/** The next position of a device's ports; its id is to follow. */
const NEXT_POSITION = sql`select coalesce(max(o.position) + 1, 0) from ports o where o.device_id =`;

export async function insertPort(tx: Tx, port: NewPort): Promise<void> {
  await tx.run(sql`insert into ports (id, project_id, region_id, client_id, network_id, device_type, device_id, interface_name,
            security_group_ids, created_at, updated_at, position)
     values (${port.id}, ${port.projectId}, ${port.regionId}, ${port.clientId}, ${port.networkId}, ${port.device?.type ?? null}, ${port.device?.id ?? null}::uuid, ${port.interfaceName}, ${port.securityGroupIds}, ${port.timestamp}, ${port.timestamp}, (${NEXT_POSITION} ${port.device?.id ?? null}::uuid))`);
}

export interface Attachment {
  readonly device: Device;
  readonly interfaceName: string | null;
  /** undefined: those that it has. */
  readonly securityGroupIds: readonly string[] | undefined;
}

/** Gives a port that belongs to nothing to a device. */
export async function attachPort(tx: Tx, id: string, to: Attachment, timestamp: string): Promise<void> {
  await tx.run(sql`update ports set device_type = ${to.device.type}, device_id = ${to.device.id}::uuid, position = (${NEXT_POSITION} ${to.device.id}::uuid),
            interface_name = ${to.interfaceName}, security_group_ids = coalesce(${to.securityGroupIds ?? null}::uuid[], security_group_ids), updated_at = ${timestamp}
      where id = ${id}`);
}

/** Removes ports; reserved ones only lose their device.
 *  @returns how many external addresses were freed */
export async function removePorts(tx: Tx, ids: readonly string[], timestamp: string): Promise<number> {
  if (ids.length === 0) return 0;
  const locked = tx.run(sql`select from ports where id = any(${ids}::uuid[]) order by id for update`);
  const counted = tx.rows<{
    external: number;
  }>(sql`select count(*) as external from ports p join networks n on n.id = p.network_id and n.external
       join region_addresses a on a.owner_id = p.id where p.id = any(${ids}::uuid[]) and not p.reserved`);
  const gone = portsOfGone(sql`${timestamp}::timestamptz`);
  const removed = tx.run(sql`with gone as (select unnest(${ids}::uuid[]) as port_id), ${gone} select`);
  const [, [row]] = await together([locked, counted, removed]);
  return row?.external ?? 0;
}

export async function setPortTags(tx: Tx, id: string, tags: StoredTags): Promise<void> {
  await tx.run(sql`update ports set tags = ${JSON.stringify(tags)} where id = ${id}`);
}

/** Whether the task still holds the port; locks it. */
export async function isHeldPort(tx: Tx, id: string, taskId: string): Promise<boolean> {
  return tx.any(sql`select 1 from ports where id = ${id} and task_id = ${taskId} for update`);
}

/** Ends a task's hold, with what it changes, if anything. */
export async function releasePort(tx: Tx, hold: Hold, settings: PortSettings | null = null): Promise<void> {
  await tx.run(sql`update ports set task_id = null, port_security_enabled = coalesce(${settings?.port_security_enabled ?? null}, port_security_enabled),
            security_group_ids = coalesce(${settings?.security_group_ids ?? null}::uuid[], security_group_ids),
            allowed_address_pairs = coalesce(${settings ? JSON.stringify(settings.allowed_address_pairs) : null}::jsonb, allowed_address_pairs), tags = coalesce(${settings ? JSON.stringify(settings.tags) : null}::jsonb, tags),
            updated_at = case when ${settings?.port_security_enabled ?? null}::boolean is null then updated_at else ${hold.timestamp} end
      where id = ${hold.id} and task_id = ${hold.taskId}`);
}

/** Which security groups filter a port from now on. The caller has locked it. */
export async function setSecurityGroups(
  tx: Tx,
  id: string,
  groupIds: readonly string[],
  timestamp: string,
): Promise<void> {
  await tx.run(sql`update ports set security_group_ids = ${groupIds}::uuid[], updated_at = ${timestamp}
      where id = ${id} and security_group_ids <> ${groupIds}::uuid[]`);
}
