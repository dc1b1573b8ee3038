import { type NameFilter, named } from '../../../platform/database/contains.ts';
import type { Db, Queryable, Tx } from '../../../platform/database/db.ts';
import { type Hold, heldTable } from '../../../platform/database/held-table.ts';
import { inScope, listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { columnsOfNew, insertionOf, type NewResource } from '../../../platform/database/new-rows.ts';
import { listOf } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Scope } from '../../../platform/http/context.ts';
import { WHOLE_REGION } from '../networks/index.ts';
import { PORT_ASSIGNMENTS } from '../ports/index.ts';
import { ROUTER_COLUMNS, type RouterRow, type StaticRoute } from './model.ts';

const SHOWN = sql`${listOf(ROUTER_COLUMNS, 'r')},
  (select jsonb_build_object('network_id', p.network_id, 'ip_assignments', ${PORT_ASSIGNMENTS})
     from ports p where p.id = r.gateway_port_id) as gateway,
  (select coalesce(jsonb_agg(jsonb_build_object('port_id', p.id, 'network_id', p.network_id, 'subnet_id', i.subnet_id,
            'cidr', s.cidr, 'ip_assignments', ${PORT_ASSIGNMENTS}) order by p.position, p.id), '[]')
     from router_interfaces i join ports p on p.id = i.port_id join subnets s on s.id = i.subnet_id
    where i.router_id = r.id) as interfaces`;

/** What deletes one removes its ports. */
export const {
  read: readRouter,
  readMany: readRouters,
  lock: lockRouter,
  lockFree: lockFreeRouter,
  readAllHeld,
  hold: holdRouter,
  release: releaseRouters,
  deleteHeld: deleteRouter,
} = heldTable<RouterRow>('routers', 'Router', {
  columns: SHOWN,
  alias: 'r',
  readAfterLock: true,
});

export interface NewRouter extends NewResource {
  readonly name: string;
  /** The network that it comes with. */
  readonly networkId: string | null;
  readonly enableSnat: boolean;
}

export async function insertRouter(tx: Tx, router: NewRouter): Promise<void> {
  const { name, networkId: network_id, enableSnat: enable_snat } = router;
  const columns = { name, network_id, enable_snat, ...columnsOfNew(router) };
  await tx.run(insertionOf('routers', columns));
}

/** The router that came with a network, if it still has it, locked. */
export async function lockRouterOf(tx: Tx, networkId: string): Promise<RouterRow | undefined> {
  await tx.run(sql`select 1 from routers where network_id = ${networkId} for update`);
  return tx.row<RouterRow>(sql`select ${SHOWN} from routers r where r.network_id = ${networkId}`);
}

export async function insertInterface(
  tx: Tx,
  { portId, routerId, subnetId }: { portId: string; routerId: string; subnetId: string },
): Promise<void> {
  await tx.run(
    sql`insert into router_interfaces (port_id, router_id, subnet_id) values (${portId}, ${routerId}, ${subnetId})`,
  );
}

/** The routers that a subnet is attached to, locked. */
export async function routersIn(tx: Tx, subnetId: string): Promise<RouterRow[]> {
  return tx.rows<RouterRow>(sql`select ${SHOWN} from routers r where r.id in (
       select i.router_id from router_interfaces i where i.subnet_id = ${subnetId}) order by r.id for update`);
}

/** The same, as they are at this moment. */
export async function readRoutersIn(db: Queryable, subnetId: string): Promise<RouterRow[]> {
  return db.rows<RouterRow>(sql`select ${SHOWN} from routers r where r.id in (
       select i.router_id from router_interfaces i where i.subnet_id = ${subnetId}) order by r.id`);
}

export async function readRoutersInRegion(db: Queryable, regionId: number): Promise<RouterRow[]> {
  return db.rows<RouterRow>(sql`select ${SHOWN} from routers r where r.region_id = ${regionId}`);
}

/** The address of a router outside, once it is known. */
export async function storeGatewayAddress(tx: Tx, portId: string | null, address: string): Promise<void> {
  await tx.run(sql`delete from region_addresses where owner_id = ${portId} and address <> ${address}::inet`);
  await tx.run(sql`insert into region_addresses (region_id, space, address, owner_id)
     select p.region_id, ${WHOLE_REGION}::uuid, ${address}::inet, p.id from ports p
      where p.id = ${portId} and not exists (
        select from region_addresses a where a.owner_id = p.id)`);
}

/** The same, of the router with this id. */
export async function storeRouterGateway(tx: Tx, id: string, address: string): Promise<void> {
  const [row] = await tx.rows<{ gateway_port_id: string | null }>(
    sql`select gateway_port_id from routers where id = ${id} for update`,
  );
  if (row?.gateway_port_id) await storeGatewayAddress(tx, row.gateway_port_id, address);
}

/** The port with which the own router of a subnet's network has this address. */
export async function ownPortAt(tx: Tx, subnetId: string, address: string): Promise<string | undefined> {
  const [row] = await tx.rows<{
    port_id: string;
  }>(sql`select i.port_id from router_interfaces i join routers r on r.id = i.router_id
       join subnets s on s.id = i.subnet_id and s.network_id = r.network_id
       join region_addresses a on a.owner_id = i.port_id and a.address = ${address}::inet
      where i.subnet_id = ${subnetId}`);
  return row?.port_id;
}

/** The ports of routers in a subnet. */
export async function portsIn(tx: Tx, subnetId: string): Promise<string[]> {
  const rows = await tx.rows<{ port_id: string }>(
    sql`select port_id from router_interfaces where subnet_id = ${subnetId}`,
  );
  return rows.map((row) => row.port_id);
}

export async function setGateway(tx: Tx, id: string, portId: string | null): Promise<void> {
  await tx.run(sql`update routers set gateway_port_id = ${portId} where id = ${id}`);
}

export async function setRoutes(tx: Tx, id: string, routes: readonly StaticRoute[]): Promise<void> {
  await tx.run(sql`update routers set routes = ${JSON.stringify(routes)} where id = ${id}`);
}

export async function touchRouter(tx: Tx, id: string, timestamp: string): Promise<void> {
  await tx.run(sql`update routers set updated_at = ${timestamp} where id = ${id}`);
}

export interface RouterChange {
  readonly name: string;
  readonly routes: readonly StaticRoute[];
  readonly enable_snat: boolean;
  readonly gateway_port_id: string | null;
}

/** Writes a change while the task holds it, and ends the hold.
 *  @returns whether the router was there */
export async function changeRouter(tx: Tx, hold: Hold, change: RouterChange): Promise<boolean> {
  return tx.any(sql`update routers set name = ${change.name}, routes = ${JSON.stringify(change.routes)}, enable_snat = ${change.enable_snat}, gateway_port_id = ${change.gateway_port_id}, task_id = null, updated_at = ${hold.timestamp}
      where id = ${hold.id} and task_id = ${hold.taskId} returning 1`);
}

export interface RouterListWhere extends Scope, NameFilter, Paging {}

/** The page, newest first, and how many match in all. */
export function listRouters(db: Db, where: RouterListWhere): Promise<Page<RouterRow>> {
  return listPage<RouterRow>(db, {
    table: 'routers',
    alias: 'r',
    columns: SHOWN,
    where: [inScope(where), ...named(where)],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}
