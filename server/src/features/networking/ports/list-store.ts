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

/** From so many addresses on, a subnet is not looked up first: most of the newest ports are of it. */
const MANY_ADDRESSES = 10_000;

/** The page, and how many match in all. */
export async function listPorts(db: Db, where: PortListWhere): Promise<Page<PortRow>> {
  const { field, direction } = parseOrder<PortOrderField>(where.order);
  const conditions = conditionsOf(where);
  const subnets = where.subnetIds?.length ? where.subnetIds : undefined;
  if (subnets) conditions.push(inNetworksOf(subnets));
  const found = subnets ? [...conditions, inSubnets(subnets)] : conditions;
  const walked = subnets ? [...conditions, isInSubnets(subnets)] : conditions;
  const few = [where.deviceId, where.ids?.[0], where.addresses?.[0]].some((by) => by !== undefined);
  const ofMany = subnets !== undefined && !few && (await haveMany(db, subnets));
  const counted = few ? walked : found;
  return listPage<PortRow>(db, {
    ...{ table: 'ports', alias: 'p', columns: PORT_COLUMNS },
    where: ofMany ? walked : counted,
    order: `p.${field} ${direction}, p.id ${direction}`,
    count:
      countOf(where) ?? sql`select count(*) as count from ports p where ${sql.join(counted, sql` and `)}`,
    ...{ limit: where.limit, offset: where.offset },
  });
}

async function haveMany(db: Db, subnetIds: readonly string[]): Promise<boolean> {
  const [row] = await db.named<{ many: boolean }>(
    'port_subnets_many',
    `select count(*) > ${MANY_ADDRESSES} as many from (
       select from region_addresses where subnet_id = any($1::uuid[]) limit ${MANY_ADDRESSES} + 1) a`,
    [[...subnetIds]],
  );
  return row?.many ?? false;
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
  return conditions;
}

/** An address of a subnet is of a port of its network. */
function inNetworksOf(ids: readonly string[]): RawBuilder<unknown> {
  return sql`p.network_id = any(array(select network_id from subnets where id = any(${[...ids]}::uuid[])))`;
}

/** Those with an address of the subnets: all of them are found first. */
function inSubnets(ids: readonly string[]): RawBuilder<unknown> {
  return sql`p.id in (
    select a.owner_id from region_addresses a where a.subnet_id = any(${[...ids]}::uuid[])
    union all ${inExternal(ids)})`;
}

/** The same, asked of one port after the other. */
function isInSubnets(ids: readonly string[]): RawBuilder<unknown> {
  return sql`((select true from region_addresses a
      where a.owner_id = p.id and a.subnet_id = any(${[...ids]}::uuid[]) limit 1) is not null
    or p.id in (${inExternal(ids)}))`;
}

/** Addresses of the region's own network do not name their subnet. */
const inExternal = (ids: readonly string[]): RawBuilder<unknown> => sql`
    select o.id from subnets s join networks n on n.id = s.network_id and n.external
      join ports o on o.network_id = n.id
      join region_addresses a on a.owner_id = o.id and a.subnet_id is null and s.cidr >>= a.address
     where s.id = any(${[...ids]}::uuid[])`;
