import { type RawBuilder, sql } from 'kysely';
import type { Db, Queryable } from '../../../platform/database/db.ts';
import { type Counted, countIfKept } from '../../../platform/database/kept-counts.ts';
import { inPlace, listPage, type Page } from '../../../platform/database/list-page.ts';
import { asked, countByOthers, differs, type Way, wayOf } from '../../../platform/database/tagged-lists.ts';
import { type TagFilters, tagConditions } from '../../../platform/http/tag-filters.ts';
import type { FloatingIpView } from './model.ts';
import { PORT_OF_FIP, VIEW_COLUMNS } from './store.ts';

export interface ListWhere extends TagFilters {
  readonly projectId: number;
  readonly regionId: number;
  readonly limit: number;
  readonly offset: number;
  readonly portIds?: readonly string[] | undefined;
  readonly status?: string | undefined;
}

/** The page, newest first, and how many match in all. */
export async function listFloatingIps(db: Db, where: ListWhere): Promise<Page<FloatingIpView>> {
  const kept: Counted = {
    resource: 'floatingips',
    place: where,
    facets: { status: where.status },
    tags: { tagKeys: where.tagKeys, tags: where.tags },
    more: (where.portIds ?? []).length > 0,
  };
  const way = await wayOf(db, kept);
  const conditions = conditionsOf(where, way);
  const byOthers = {
    from: sql`floating_ips where ${inPlace(where)}`,
    others: differs(sql`status`, where.status ?? ''),
    tags: sql.join(tagConditions(where).map(asked), sql` and `),
  };
  return listPage<FloatingIpView>(db, {
    name: conditions.length === 0 ? 'fip_list' : undefined,
    ...{ table: 'floating_ips', alias: 'f', columns: VIEW_COLUMNS, joins: PORT_OF_FIP },
    where: [inPlace(where), ...conditions],
    order: 'created_at desc, id desc',
    count: countIfKept(kept) ?? countByOthers(way, kept, byOthers),
    ...{ limit: where.limit, offset: where.offset },
  });
}

/** Ports leave few, and so may a status: tags are asked without their index then. */
function conditionsOf(where: ListWhere, way: Way | undefined): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  const ofPorts = (where.portIds ?? []).length > 0;
  if (where.portIds?.length) conditions.push(sql`port_id = any(${[...where.portIds]}::uuid[])`);
  if (where.status !== undefined) conditions.push(sql`status = ${where.status}`);
  const tags = tagConditions(where);
  return [...conditions, ...(ofPorts || way === 'facets' ? tags.map(asked) : tags)];
}

/** Those that lead to these ports, oldest first. */
export async function readFloatingIpsOfPorts(
  db: Queryable,
  portIds: readonly string[],
): Promise<FloatingIpView[]> {
  if (portIds.length === 0) return [];
  return db.named<FloatingIpView>(
    'fips_of_ports',
    `select ${VIEW_COLUMNS} from floating_ips f ${PORT_OF_FIP}
      where f.port_id = any($1::uuid[]) order by f.created_at, f.id`,
    [portIds],
  );
}
