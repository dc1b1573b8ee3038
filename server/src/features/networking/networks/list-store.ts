import { type NameFilter, named } from '../../../platform/database/contains.ts';
import type { Db } from '../../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { sharedList } from '../../../platform/database/shared-lists.ts';
import { type Sql, sql } from '../../../platform/database/sql.ts';
import { type TagFilters, tagConditions } from '../../../platform/http/tag-filters.ts';
import type { NetworkRow, Scope } from './model.ts';
import type { NetworkOrder } from './schema.ts';
import { SHOWN_NETWORK } from './store.ts';

export interface NetworkListWhere extends Scope, NameFilter, TagFilters, Paging {
  /** Also what the region shares. */
  readonly shared: boolean;
  readonly external?: boolean | undefined;
  /** Only what the region shares, or only what it does not. */
  readonly owned?: boolean | undefined;
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly order: NetworkOrder;
}

/** `priority`: what the region shares comes first. */
const ORDERS: Readonly<Record<NetworkOrder, string>> = {
  'created_at.asc': 'created_at, id',
  'created_at.desc': 'created_at desc, id desc',
  'name.asc': 'name, id',
  'name.desc': 'name desc, id desc',
  'priority.desc': '(project_id is null) desc, created_at desc, id desc',
};

/** The page, and how many match in all. */
export function listNetworks(db: Db, where: NetworkListWhere): Promise<Page<NetworkRow>> {
  const order = ORDERS[where.order];
  const rows = sharedList({
    table: 'networks',
    projectId: where.projectId,
    regionId: where.regionId,
    whose: whoseOf(where),
    conditions: conditionsOf(where),
    ownOrder: order.replace('(project_id is null) desc, ', ''),
    order,
    limit: where.limit,
    offset: where.offset,
  });
  return listPage<NetworkRow>(db, { ...rows, alias: 'n', columns: SHOWN_NETWORK });
}

/** `owned`: only what the region does not share, or only what it does. */
function whoseOf({ shared, owned }: NetworkListWhere): 'own' | 'shared' | 'both' {
  if (!shared || owned === true) return 'own';
  return owned === false ? 'shared' : 'both';
}

function conditionsOf(where: NetworkListWhere): Sql[] {
  const conditions = named(where);
  // What is not shared is owned, so that nothing is both.
  if (!where.shared && where.owned === false) conditions.push(sql`false`);
  if (where.external !== undefined) conditions.push(sql`external = ${where.external}`);
  if (where.id !== undefined) conditions.push(sql`id = ${where.id}::uuid`);
  if (where.type !== undefined) conditions.push(sql`type = ${where.type}`);
  return [...conditions, ...tagConditions(where)];
}

/** Ports of a network that instances and load balancers have. */
export async function listNetworkPorts(db: Db, networkId: string) {
  return db.rows<{
    id: string;
    instance_id: string;
    instance_name: string;
  }>(sql`select p.id, p.device_id as instance_id, coalesce(lb.name, i.name, '') as instance_name
       from ports p left join load_balancers lb on lb.id = p.device_id left join instances i on i.id = p.device_id
      where p.network_id = ${networkId} and p.device_type in ('instance', 'load_balancer') order by p.created_at, p.id`);
}
