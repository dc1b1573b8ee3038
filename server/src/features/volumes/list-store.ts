import { isUuid } from '../../kernel/ids.ts';
import { contains, idContains } from '../../platform/database/contains.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { inScope, listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import { type TagFilters, tagConditions } from '../../platform/http/tag-filters.ts';
import type { Scope, VolumeRow } from './model.ts';
import { VOLUME } from './store.ts';

/** A volume with what is shown of its instance. */
export type VolumeView = VolumeRow & {
  readonly instance_name: string | null;
  readonly flavor_id: string | null;
  /** Oldest first. */
  readonly snapshot_ids: readonly string[];
};

export interface ListWhere extends Scope, TagFilters, Paging {
  readonly bootable?: boolean | undefined;
  readonly attached?: boolean | undefined;
  readonly clusterId?: string | undefined;
  readonly instanceId?: string | undefined;
  readonly idPart?: string | undefined;
  readonly namePart?: string | undefined;
}

const SHOWN = sql`${VOLUME}, i.name as instance_name, i.flavor->>'id' as flavor_id,
  array(select s.id from volume_snapshots s where s.volume_id = v.id order by s.created_at, s.id) as snapshot_ids`;

export async function readVolume(
  db: Queryable,
  id: string,
  { projectId, regionId }: Scope,
): Promise<VolumeView | undefined> {
  return db.row<VolumeView>(sql`select ${SHOWN} from volumes v left join instances i on i.id = v.instance_id
      where v.id = ${id} and v.project_id = ${projectId} and v.region_id = ${regionId}`);
}

/** The page, newest first, and how many match in all. */
export function listVolumes(db: Db, where: ListWhere): Promise<Page<VolumeView>> {
  const conditions = conditionsOf(where);
  return listPage<VolumeView>(db, {
    prepared: conditions.length === 0,
    table: 'volumes',
    alias: 'v',
    columns: SHOWN,
    joins: sql`left join instances i on i.id = v.instance_id`,
    where: [inScope(where), ...conditions],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}

function conditionsOf(where: ListWhere): Sql[] {
  const conditions: Sql[] = [];
  if (where.bootable !== undefined) conditions.push(where.bootable ? sql`bootable` : sql`not bootable`);
  if (where.attached !== undefined) {
    conditions.push(where.attached ? sql`instance_id is not null` : sql`instance_id is null`);
  }
  if (where.instanceId !== undefined) conditions.push(sql`instance_id = ${where.instanceId}::uuid`);
  if (where.clusterId !== undefined) {
    conditions.push(isUuid(where.clusterId) ? sql`cluster_id = ${where.clusterId}::uuid` : sql`false`);
  }
  if (where.idPart !== undefined) conditions.push(idContains(where.idPart));
  if (where.namePart !== undefined) conditions.push(contains(sql`name`, where.namePart));
  return [...conditions, ...tagConditions(where)];
}
