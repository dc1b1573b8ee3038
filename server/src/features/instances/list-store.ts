import { readTime } from '../../kernel/codecs.ts';
import { NotFound } from '../../kernel/errors.ts';
import { contains, escapedForLike, idContains } from '../../platform/database/contains.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { inScope, listPage, type Page } from '../../platform/database/list-page.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import { tagConditions } from '../../platform/http/tag-filters.ts';
import { VOLUMES_OF_INSTANCE } from '../volumes/index.ts';
import { addressBegins } from './by-address.ts';
import { canHaveFloating, hasExternalAddress, lacksGroup } from './by-ports.ts';
import type { InstanceRow, Scope } from './model.ts';
import type { InstanceListQuery } from './schema.ts';
import { INSTANCE } from './store.ts';

/** What instances show, in one statement for a page: with their ports, addresses and volumes. */

export interface ShownAddress {
  readonly address: string;
  readonly subnet_id: string;
  readonly subnet_name: string;
}

export interface ShownInterface {
  readonly port_id: string;
  readonly name: string | null;
  readonly network_name: string;
  readonly external: boolean;
  /** IPv4 first. */
  readonly addresses: readonly ShownAddress[];
  readonly floating: readonly string[];
}

interface ShownVolume {
  readonly id: string;
  readonly delete_on_termination: boolean;
}

export interface ShownInstance extends InstanceRow {
  readonly interfaces: readonly ShownInterface[];
  /** Names of the security groups of its ports. */
  readonly port_groups: readonly string[];
  readonly volumes: readonly ShownVolume[];
  /** Disks of a node, which are no volumes of their own. */
  readonly node_volumes: readonly ShownVolume[];
}

// An address without a subnet of its own is of the region's network.
const ADDRESSES_OF_PORT = sql`coalesce((
    select jsonb_agg(jsonb_build_object('address', host(a.address), 'subnet_id', s.id, 'subnet_name', s.name)
                     order by family(a.address), a.address)
      from region_addresses a join lateral (
        select s.id, s.name from subnets s
         where s.id = a.subnet_id or (a.subnet_id is null and s.network_id = p.network_id)
         order by s.cidr >>= a.address desc, s.created_at limit 1) s on true
     where a.owner_id = p.id), '[]')`;
const FLOATING_OF_PORT = sql`coalesce((
    select jsonb_agg(host(f.floating_ip_address) order by f.created_at, f.id)
      from floating_ips f where f.port_id = p.id and f.floating_ip_address is not null), '[]')`;
const INTERFACES = sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'port_id', p.id, 'name', p.interface_name, 'network_name', n.name, 'external', n.external,
             'addresses', ${ADDRESSES_OF_PORT}, 'floating', ${FLOATING_OF_PORT})
           order by p.position, p.created_at, p.id)
      from ports p join networks n on n.id = p.network_id
     where p.device_id = i.id), '[]')`;

const GROUPS = sql`coalesce((
    select jsonb_agg(distinct g.name) from ports p join security_groups g on g.id = any(p.security_group_ids)
     where p.device_id = i.id), '[]')`;

/** Of an instance `i`. */
export const SHOWN = sql`${INSTANCE}, i.volumes as node_volumes, ${VOLUMES_OF_INSTANCE},
  ${INTERFACES} as interfaces, ${GROUPS} as port_groups`;

/** @throws NotFound */
export async function showInstance(db: Queryable, id: string, scope: Scope): Promise<ShownInstance> {
  const [row] = await db.rows<ShownInstance>(
    sql`select ${SHOWN} from instances i where i.id = ${id} and i.project_id = ${scope.projectId} and i.region_id = ${scope.regionId}`,
  );
  if (!row) throw new NotFound(`Instance ${id} was not found`);
  return row;
}

/** Those of these that exist, in any order. */
export async function showInstances(db: Queryable, ids: readonly string[]): Promise<ShownInstance[]> {
  if (ids.length === 0) return [];
  return db.rows<ShownInstance>(
    sql`select ${SHOWN} from instances i where i.id = any(${[...new Set(ids)]}::uuid[])`,
  );
}

type Order = NonNullable<InstanceListQuery['order_by']>;
const ORDERS: Readonly<Record<Order, string>> = {
  'created.asc': 'created_at, id',
  'created.desc': 'created_at desc, id desc',
  'name.asc': 'name, id',
  'name.desc': 'name desc, id desc',
  'status.asc': 'status, id',
  'status.desc': 'status desc, id desc',
};

export interface ListWhere extends Scope {
  readonly query: InstanceListQuery;
  readonly tags: Readonly<Record<string, string>>;
}

/** The page, and how many match in all. */
export function listInstances(db: Db, where: ListWhere): Promise<Page<ShownInstance>> {
  const { order_by: order, limit, offset } = where.query;
  const conditions = [...conditionsOf(where), ...tagConditions({ tags: where.tags })];
  return listPage<ShownInstance>(db, {
    prepared: conditions.length === 0,
    table: 'instances',
    alias: 'i',
    columns: SHOWN,
    where: [inScope(where), ...conditions],
    order: ORDERS[order],
    limit,
    offset,
  });
}

const timeOf = (text: string | undefined) =>
  text === undefined ? undefined : (readTime(text)?.getTime() ?? 0);

/** Clocks of servers may differ, but by less. */
const CLOCKS = sql`interval '1 hour'`;

/** What has not changed since a time was there already: the newest are passed over by their index. */
function changeConditions(query: InstanceListQuery): Sql[] {
  const at = (text: string) => sql`${new Date(timeOf(text) ?? 0).toISOString()}::timestamptz`;
  const { 'changes-since': since, 'changes-before': before } = query;
  return [
    ...(since === undefined ? [] : [sql`updated_at >= ${at(since)}`]),
    ...(before === undefined
      ? []
      : [sql`updated_at <= ${at(before)} and created_at <= ${at(before)} + ${CLOCKS}`]),
  ];
}

const flavorId = sql`flavor->>'id'`;

/** What the project's instances are narrowed by beside tags; none: all of them. */
function conditionsOf(where: ListWhere): Sql[] {
  const { query } = where;
  const found = textConditions(where, query);
  if (query.ip !== undefined) found.push(addressBegins(where, query.ip));
  if (query.only_with_fixed_external_ip) found.push(hasExternalAddress(where));
  if (query.available_floating) found.push(canHaveFloating(where));
  if (query.status !== undefined) found.push(sql`status = ${query.status}`);
  if (query.include_k8s === false) found.push(sql`cluster_id is null`);
  found.push(...changeConditions(query));
  // The index of tags finds values, whatever their keys.
  for (const value of query.tag_value ?? [])
    found.push(sql`tags @? ${`$.*.value ? (@ == ${JSON.stringify(value)})`}::jsonpath and tags <> '{}'`);
  // No instance is isolated or protected: the regions offer neither.
  const unknown =
    query.only_isolated || query.profile_name !== undefined || query.protection_status !== undefined;
  if (unknown || query.type_ddos_profile !== undefined) found.push(sql`false`);
  return found;
}

function textConditions(scope: Scope, query: InstanceListQuery): Sql[] {
  const { name, uuid, flavor_id, exclude_secgroup } = query;
  const { flavor_prefix: begin, exclude_flavor_prefix: not } = query;
  const found: Sql[] = [];
  if (name !== undefined) found.push(contains(sql`name`, name));
  if (uuid !== undefined) found.push(idContains(uuid));
  if (flavor_id !== undefined) found.push(sql`${flavorId} = ${flavor_id}`);
  if (begin !== undefined) found.push(sql`${flavorId} like ${`${escapedForLike(begin)}%`}`);
  if (not !== undefined) found.push(sql`${flavorId} not like ${`${escapedForLike(not)}%`}`);
  if (exclude_secgroup !== undefined) found.push(lacksGroup(scope, exclude_secgroup));
  return found;
}
