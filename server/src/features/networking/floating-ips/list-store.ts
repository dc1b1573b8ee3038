import { type RawBuilder, sql } from 'kysely';
import type { Db, Queryable } from '../../../platform/database/db.ts';
import {
  type Counted,
  countIfKept,
  keptCountOfExactly,
  onlyTag,
} from '../../../platform/database/kept-counts.ts';
import { inPlace, listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { asked } from '../../../platform/database/tagged-lists.ts';
import { type TagFilters, tagConditions } from '../../../platform/http/tag-filters.ts';
import type { FloatingIpView } from './model.ts';
import { PORT_OF_FIP, SHOWN } from './store.ts';

export interface ListWhere extends TagFilters, Paging {
  readonly projectId: number;
  readonly regionId: number;
  readonly portIds?: readonly string[] | undefined;
  readonly status?: string | undefined;
}

/** The page, newest first, and how many match in all. */
export function listFloatingIps(db: Db, where: ListWhere): Promise<Page<FloatingIpView>> {
  const kept: Counted = {
    resource: 'floatingips',
    place: where,
    facets: { status: where.status },
    tags: { tagKeys: where.tagKeys, tags: where.tags },
    more: (where.portIds ?? []).length > 0,
  };
  const conditions = conditionsOf(where);
  return listPage<FloatingIpView>(db, {
    name: conditions.length === 0 ? 'fip_list' : undefined,
    ...{ table: 'floating_ips', alias: 'f', columns: SHOWN, joins: PORT_OF_FIP },
    where: [inPlace(where), ...conditions],
    order: 'created_at desc, id desc',
    count: countIfKept(kept) ?? countByTagAndStatus(where, kept),
    ...{ limit: where.limit, offset: where.offset },
  });
}

/** There are many of both statuses: they are counted together with each tag. */
function countByTagAndStatus(where: ListWhere, { tags, more }: Counted): RawBuilder<unknown> | undefined {
  const tag = onlyTag(tags);
  if (more || tag === undefined || where.status === undefined) return undefined;
  return keptCountOfExactly('floatingips by tag and status', where, { ...tag, status: where.status });
}

/** Ports leave few: tags are asked without their index then. */
function conditionsOf(where: ListWhere): RawBuilder<unknown>[] {
  const tags = tagConditions(where);
  if (!where.portIds?.length)
    return [...(where.status === undefined ? [] : [sql`status = ${where.status}`]), ...tags];
  const conditions = [sql`port_id = any(${[...where.portIds]}::uuid[])`, ...tags.map(asked)];
  return where.status === undefined ? conditions : [...conditions, sql`status = ${where.status}`];
}

/** Those that lead to these ports, oldest first. */
export async function readFloatingIpsOfPorts(
  db: Queryable,
  portIds: readonly string[],
): Promise<FloatingIpView[]> {
  if (portIds.length === 0) return [];
  return db.named<FloatingIpView>(
    'fips_of_ports',
    `select ${SHOWN} from floating_ips f ${PORT_OF_FIP}
      where f.port_id = any($1::uuid[]) order by f.created_at, f.id`,
    [portIds],
  );
}
