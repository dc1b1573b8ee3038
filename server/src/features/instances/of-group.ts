import { sql } from '../../platform/database/sql.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { showInstances } from './list-store.ts';
import { InstanceList } from './schema.ts';
import { viewInstance } from './view.ts';

/** The instances that a security group filters, for that feature to show. */
export const instancesOfGroup = {
  schema: InstanceList,
  /** All of them, oldest first. */
  async list(ctx: RegionContext, groupId: string) {
    const ports = await ctx.db.rows<{ id: string }>(sql`select distinct device_id as id from ports
        where security_group_ids @> array[${groupId}::uuid] and security_group_ids <> '{}' and device_type = 'instance'
          and device_id is not null
          and project_id = ${ctx.scope.projectId} and region_id = ${ctx.scope.regionId}`);
    const rows = await showInstances(
      ctx.db,
      ports.map(({ id }) => id),
    );
    const sorted = rows.sort(
      (a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1),
    );
    return { count: sorted.length, results: sorted.map((row) => viewInstance(row, ctx.region.name)) };
  },
};
