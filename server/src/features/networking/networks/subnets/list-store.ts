import { named } from '../../../../platform/database/contains.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../../../platform/database/list-page.ts';
import { type SharedList, sharedList } from '../../../../platform/database/shared-lists.ts';
import { join, type Sql, sql } from '../../../../platform/database/sql.ts';
import { parseOrder } from '../../../../platform/http/schemas.ts';
import { type TagFilters, tagConditions } from '../../../../platform/http/tag-filters.ts';
import type { Scope, SubnetRow } from '../model.ts';
import type { SubnetOrderField } from './schema.ts';
import { SHOWN_SUBNET } from './store.ts';

export interface SubnetListWhere extends Scope, TagFilters, Paging {
  /** Also what the region shares. */
  readonly shared: boolean;
  readonly networkId?: string | undefined;
  readonly namePart?: string | undefined;
  readonly order: `${SubnetOrderField}.${'asc' | 'desc'}`;
}

/** The page, and how many match in all. */
export function listSubnets(db: Db, where: SubnetListWhere): Promise<Page<SubnetRow>> {
  const { networkId, namePart, limit, offset } = where;
  const { field, direction } = parseOrder<SubnetOrderField>(where.order);
  const list: SharedList = {
    table: 'subnets',
    projectId: where.projectId,
    regionId: where.regionId,
    whose: where.shared ? 'both' : 'own',
    conditions: [
      ...(networkId === undefined ? [] : [sql`network_id = ${networkId}::uuid`]),
      ...named({ namePart }),
      ...tagConditions(where),
    ],
    // A project's own subnets have all of these.
    ownOrder: `${field} ${direction}, id ${direction}`,
    order: `${field} ${direction} nulls last, id ${direction}`,
    limit,
    offset,
  };
  const shown = { alias: 's', columns: SHOWN_SUBNET };
  if (field !== 'available_ips') return listPage<SubnetRow>(db, { ...sharedList(list), ...shown });
  return listPage<SubnetRow>(db, {
    ...shown,
    table: 'listed',
    rows: withAvailableIps(where, list.conditions),
    order: list.order,
    limit,
    offset,
  });
}

/** All subnets with what is free in them: the addresses of all are counted together. */
function withAvailableIps(where: SubnetListWhere, conditions: readonly Sql[]): Sql {
  const own = sql`s.project_id = ${where.projectId}::int`;
  const whose = where.shared ? sql`(${own} or s.project_id is null)` : own;
  return sql`select s.*, s.total_ips - coalesce(g.addresses, 0) as available_ips
      from subnets s left join (
        select a.subnet_id, count(*) as addresses from region_addresses a join subnets s on s.id = a.subnet_id
         where a.region_id = ${where.regionId}::int and a.address is distinct from s.gateway_ip and ${whose}
         group by a.subnet_id) g on g.subnet_id = s.id
     where ${join([sql`s.region_id = ${where.regionId}::int`, whose, ...conditions], ' and ')}`;
}
