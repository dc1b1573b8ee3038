import type { Db } from '../../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { type Sql, sql } from '../../../platform/database/sql.ts';
import { parseOrder } from '../../../platform/http/schemas.ts';
import type { PortRow } from './model.ts';
import type { PortOrderField } from './schema.ts';
import { SHOWN_PORT } from './store.ts';

export interface PortListWhere extends Paging {
  readonly projectId: number;
  readonly regionId: number;
  readonly attached?: boolean | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly addresses?: readonly string[] | undefined;
  readonly managedBy?: string | undefined;
  readonly networkIds?: readonly string[] | undefined;
  readonly subnetIds?: readonly string[] | undefined;
  readonly deviceId?: string | undefined;
  readonly deviceType?: string | undefined;
  /** No port is part of a trunk. */
  readonly inTrunk: boolean;
  readonly order: `${PortOrderField}.${'asc' | 'desc'}`;
}

/** The page, and how many match in all. */
export function listPorts(db: Db, where: PortListWhere): Promise<Page<PortRow>> {
  const { field, direction } = parseOrder<PortOrderField>(where.order);
  return listPage<PortRow>(db, {
    table: 'ports',
    alias: 'p',
    columns: SHOWN_PORT,
    where: conditionsOf(where),
    order: `p.${field} ${direction}, p.id ${direction}`,
    limit: where.limit,
    offset: where.offset,
  });
}

function conditionsOf(where: PortListWhere): Sql[] {
  const conditions = [sql`p.project_id = ${where.projectId}::int`, sql`p.region_id = ${where.regionId}::int`];
  if (where.inTrunk) conditions.push(sql`false`);
  if (where.attached !== undefined) {
    conditions.push(where.attached ? sql`p.device_id is not null` : sql`p.device_id is null`);
  }
  if (where.managedBy !== undefined) conditions.push(sql`p.managed_by = ${where.managedBy}`);
  if (where.deviceId !== undefined) conditions.push(sql`p.device_id = ${where.deviceId}::uuid`);
  if (where.deviceType !== undefined) conditions.push(sql`p.device_type = ${where.deviceType}`);
  if (where.ids?.length) conditions.push(sql`p.id = any(${[...where.ids]}::uuid[])`);
  if (where.networkIds?.length) {
    conditions.push(sql`p.network_id = any(${[...where.networkIds]}::uuid[])`);
  }
  if (where.addresses?.length) {
    conditions.push(sql`p.id in (select a.owner_id from region_addresses a
      where a.region_id = ${where.regionId}::int and a.address = any(${[...where.addresses]}::inet[]))`);
  }
  if (where.subnetIds?.length) conditions.push(inSubnets(where.subnetIds));
  return conditions;
}

/** Those with an address of these subnets. Addresses of the region's own network do not name their subnet. */
function inSubnets(ids: readonly string[]): Sql {
  const these = sql`any(${[...ids]}::uuid[])`;
  return sql`p.network_id = any(array(select s.network_id from subnets s where s.id = ${these})) and (
    p.id in (select a.owner_id from region_addresses a where a.subnet_id = ${these})
    or p.network_id in (select n.id from networks n where n.external and n.region_id = p.region_id) and exists (
      select from region_addresses a join subnets s on s.cidr >>= a.address
       where a.owner_id = p.id and a.subnet_id is null and s.id = ${these}))`;
}
