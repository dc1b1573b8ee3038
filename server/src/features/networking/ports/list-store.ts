import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { type Facets, keptCount, keptCountOfNetworks } from '../../../platform/database/kept-counts.ts';
import { listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { parseOrder } from '../../../platform/http/schemas.ts';
import { PORTS_WITH_ADDRESS } from '../networks/index.ts';
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

/** From so many addresses on, a subnet is not looked up first: most of the newest ports are of it. */
const MANY_ADDRESSES = 10_000;

/** The page, and how many match in all. */
export async function listPorts(db: Db, where: PortListWhere): Promise<Page<PortRow>> {
  const { field, direction } = parseOrder<PortOrderField>(where.order);
  const conditions = conditionsOf(where);
  const subnets = where.subnetIds?.length ? where.subnetIds : undefined;
  const { many, external } = subnets ? await whatOf(db, subnets) : { many: false, external: false };
  const found = subnets ? [...conditions, inNetworksOf(subnets), inSubnets(subnets, external)] : conditions;
  // Without the network, by whose index all ports of the subnet would be found and sorted.
  const walked = subnets ? [...conditions, isInSubnets(subnets, external)] : conditions;
  const few = [where.deviceId, where.ids?.[0], where.addresses?.[0]].some((by) => by !== undefined);
  const counted = few ? walked : found;
  return listPage<PortRow>(db, {
    ...{ table: 'ports', alias: 'p', columns: SHOWN_PORT },
    where: many ? walked : counted,
    order: `p.${field} ${direction}, p.id ${direction}`,
    count:
      countOf(where) ??
      countOfSubnet(where, sql`select count(*) as count from ports p where ${sql.join(counted, sql` and `)}`),
    ...{ limit: where.limit, offset: where.offset },
  });
}

/** Whether so many addresses are of the subnets, and whether one is of the region's own network. */
async function whatOf(db: Db, subnetIds: readonly string[]) {
  const row = await db.namedRow<{ many: boolean; external: boolean }>(
    'port_subnets_what',
    `select coalesce(sum(s.address_count), 0) > ${MANY_ADDRESSES} as many, coalesce(bool_or(n.external), false) as external
       from subnets s join networks n on n.id = s.network_id where s.id = any($1::uuid[])`,
    [[...subnetIds]],
  );
  return row ?? { many: false, external: false };
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

/** Kept for a subnet of the project, if nothing else narrows the list. Else they are counted. */
function countOfSubnet(where: PortListWhere, counted: RawBuilder<unknown>): RawBuilder<unknown> {
  const { projectId, regionId, attached, managedBy, deviceId, deviceType, subnetIds } = where;
  const [subnetId, another] = new Set(subnetIds);
  const more = [
    attached,
    managedBy,
    deviceId,
    deviceType,
    where.ids?.[0],
    where.addresses?.[0],
    where.networkIds?.[0],
  ];
  const isNarrower = where.inTrunk || more.some((by) => by !== undefined);
  if (subnetId === undefined || another !== undefined || isNarrower) return counted;
  const kept = sql`select ${sql.raw(PORTS_WITH_ADDRESS)} from subnets s
    where s.id = ${subnetId}::uuid and s.project_id = ${projectId}::int and s.region_id = ${regionId}::int`;
  return sql`select coalesce((${kept}), (${counted})) as count`;
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
function inSubnets(ids: readonly string[], external: boolean): RawBuilder<unknown> {
  const more = external ? sql`union all ${inExternal(ids)}` : sql``;
  return sql`p.id in (
    select a.owner_id from region_addresses a where a.subnet_id = any(${[...ids]}::uuid[]) ${more})`;
}

/** The same, asked of one port after the other. */
function isInSubnets(ids: readonly string[], external: boolean): RawBuilder<unknown> {
  const more = external ? sql`or p.id in (${inExternal(ids)})` : sql``;
  return sql`((select true from region_addresses a
      where a.owner_id = p.id and a.subnet_id = any(${[...ids]}::uuid[]) limit 1) is not null ${more})`;
}

/** Addresses of the region's own network do not name their subnet. */
const inExternal = (ids: readonly string[]): RawBuilder<unknown> => sql`
    select o.id from subnets s join networks n on n.id = s.network_id and n.external
      join ports o on o.network_id = n.id
      join region_addresses a on a.owner_id = o.id and a.subnet_id is null and s.cidr >>= a.address
     where s.id = any(${[...ids]}::uuid[])`;
