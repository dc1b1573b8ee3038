import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../../../platform/database/list-page.ts';
import { type SharedList, sharedList } from '../../../../platform/database/shared-lists.ts';
import { parseOrder } from '../../../../platform/http/schemas.ts';
import { type TagFilters, tagConditions } from '../../../../platform/http/tag-filters.ts';
import type { Place, SubnetRow } from '../model.ts';
import { AVAILABLE_IPS, STORED_AVAILABLE_IPS } from './counts.ts';
import type { SubnetOrderField } from './schema.ts';
import { SHOWN_SUBNET } from './store.ts';

export interface SubnetListWhere extends Place, TagFilters, Paging {
  /** Also what the region shares. */
  readonly shared: boolean;
  readonly networkId?: string | undefined;
  readonly order: `${SubnetOrderField}.${'asc' | 'desc'}`;
}

/** The page, and how many match in all. */
export function listSubnets(db: Db, where: SubnetListWhere): Promise<Page<SubnetRow>> {
  const { networkId, limit, offset } = where;
  const { field, direction } = parseOrder<SubnetOrderField>(where.order);
  const list: SharedList = {
    table: 'subnets',
    kept: { resource: 'subnets', place: where, facets: {}, tags: where, more: networkId !== undefined },
    whose: where.shared ? 'both' : 'own',
    conditions: [
      ...(networkId === undefined ? [] : [sql`network_id = ${networkId}::uuid`]),
      ...tagConditions(where),
    ],
    // A project's own subnets have all of these.
    ownOrder: `${field} ${direction}, id ${direction}`,
    order: `${field} ${direction} nulls last, id ${direction}`,
    ...{ limit, offset },
  };
  const rows =
    field === 'available_ips'
      ? { page: byAvailableIps(where, list, direction), count: sharedList({ ...list, ownOrder: 'id' }).count }
      : sharedList(list);
  return listPage<SubnetRow>(db, { ...rows, alias: 's', columns: SHOWN_SUBNET });
}

/** Subnets without changes in the order of their index; the others, which are few, and those of the region are sorted
 *  in. */
function byAvailableIps(
  where: SubnetListWhere,
  { conditions, limit, offset }: SharedList,
  direction: 'asc' | 'desc',
): RawBuilder<unknown> {
  const narrow = sql.join([sql`region_id = ${where.regionId}::int`, ...conditions], sql` and `);
  const own = sql`project_id = ${where.projectId}::int and ${narrow}`;
  const [by, stored, available] = [sql.raw(direction), sql.raw(STORED_AVAILABLE_IPS), sql.raw(AVAILABLE_IPS)];
  const parts = [
    sql`(select *, ${stored} as available_ips from subnets
          where ${own} and id not in (select subnet_id from subnet_changes)
          order by ${stored} ${by}, id ${by} limit ${limit}::int + ${offset}::bigint)`,
    sql`(select *, ${available} as available_ips from subnets s
          where ${own} and id in (select subnet_id from subnet_changes))`,
    ...(where.shared
      ? [sql`(select *, ${available} as available_ips from subnets s where project_id is null and ${narrow})`]
      : []),
  ];
  return sql`select * from (${sql.join(parts, sql` union all `)}) listed
    order by available_ips ${by} nulls last, id ${by} limit ${limit}::int offset ${offset}::bigint`;
}
