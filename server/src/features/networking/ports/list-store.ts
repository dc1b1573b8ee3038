import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { type Facets, keptCount, keptCountOfNetworks } from '../../../platform/database/kept-counts.ts';
import { listPage, type Page } from '../../../platform/database/list-page.ts';
import { parseOrder } from '../../../platform/http/schemas.ts';
import type { PortRow } from './model.ts';
import type { PortOrderField } from './schema.ts';
import { PORT_COLUMNS } from './store.ts';

export interface PortListWhere {
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
  readonly limit: number;
  readonly offset: number;
}

/** The page, and how many match in all. */
export function listPorts(db: Db, where: PortListWhere): Promise<Page<PortRow>> {
  const { field, direction } = parseOrder<PortOrderField>(where.order);
  return listPage<PortRow>(db, {
    ...{ table: 'ports', alias: 'p', columns: PORT_COLUMNS },
    where: conditionsOf(where),
    order: `p.${field} ${direction}, p.id ${direction}`,
    count: countOf(where),
    ...{ limit: where.limit, offset: where.offset },
  });
}

/** Kept, unless something narrows the list by which nothing is counted. */
function countOf(where: PortListWhere): RawBuilder<unknown> | undefined {
  const more = [where.deviceId, where.ids?.[0], where.addresses?.[0], where.subnetIds?.[0]];
  const contradicts = where.attached === false && where.deviceType !== undefined;
  if (where.inTrunk || contradicts || more.some((by) => by !== undefined)) return undefined;
  const facets = {
    device_type: where.attached === false ? null : where.deviceType,
    managed_by: where.managedBy,
  };
  const place = { projectId: where.projectId, regionId: where.regionId };
  // What is attached is everything but what is not.
  const attachedOnly = where.attached === true && where.deviceType === undefined;
  const count = (by: Facets) =>
    where.networkIds?.length
      ? keptCountOfNetworks('ports', place, where.networkIds, by)
      : keptCount('ports', place, by);
  if (!attachedOnly) return count(facets);
  return sql`select (${count(facets)}) - (${count({ ...facets, device_type: null })}) as count`;
}

function conditionsOf(where: PortListWhere): RawBuilder<unknown>[] {
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

/** Those with an address of the subnets. Addresses of the region's own network do not name their subnet. */
function inSubnets(ids: readonly string[]): RawBuilder<unknown> {
  const subnets = sql`any(${[...ids]}::uuid[])`;
  return sql`p.id in (
    select a.owner_id from region_addresses a where a.subnet_id = ${subnets}
    union all
    select o.id from subnets s join networks n on n.id = s.network_id and n.external
      join ports o on o.network_id = n.id
      join region_addresses a on a.owner_id = o.id and a.subnet_id is null and s.cidr >>= a.address
     where s.id = ${subnets})`;
}
