import { recordAudit } from '../../platform/audit/audit.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import { changeTraits } from '../../platform/database/traits.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { refuseUnstorable } from '../../platform/http/json.ts';
import { parseTagFilters } from '../../platform/http/tag-filters.ts';
import { patchTags, sameTags } from '../../platform/http/tags.ts';
import type { TaskRef } from '../../platform/tasks/start.ts';
import { type InstanceDeps, requireInstanceProvider } from './access.ts';
import { createInstance } from './create.ts';
import { deletedTogetherOf, holdDeletedTogether } from './deleted-together.ts';
import { startChange } from './hold.ts';
import { listInstances, showInstance } from './list-store.ts';
import { requireChangeable, requireOwn } from './model.ts';
import type { DeleteInstanceQuery, InstanceListQuery, UpdateInstance } from './schema.ts';
import type { CreateInstance } from './schema-create.ts';
import * as store from './store.ts';
import { viewInstance } from './view.ts';

/** Instances come and go, and are read; what else can be done to one is in actions.ts. */
export class InstanceService {
  readonly #deps: InstanceDeps;

  constructor(deps: InstanceDeps) {
    this.#deps = deps;
  }

  create(ctx: RegionContext, input: CreateInstance): Promise<TaskRef> {
    return createInstance(this.#deps, ctx, input);
  }

  /** Changes name and tags at once. The host name inside the instance stays.
   *  @throws Invalid, NotFound, Conflict for a node of a cluster, or naming the task that holds it */
  async update(ctx: RegionContext, id: string, input: UpdateInstance) {
    await ctx.db.transaction(async (tx) => {
      const row = await store.lockInstance(tx, id, ctx.scope);
      const tags = patchTags(row.tags, input.tags);
      const name = input.name ?? row.name;
      requireOwn(row);
      requireFree('Instance', row);
      if (name === row.name && sameTags(row.tags, tags)) return;
      await changeTraits(tx, 'instances', { id, name, tags, timestamp: ctx.clock.timestamp() });
      await recordAudit(tx, ctx, { action: 'update_vm', subject: id, name, ...ctx.scope });
    });
    return this.get(ctx, id);
  }

  /** Deletes it, with what the query names of its volumes, floating IPs and reserved addresses.
   *  @throws NotFound, Invalid naming what it does not have, Conflict for a node of a cluster, or naming the task
   *  that holds it or something of it */
  async delete(ctx: RegionContext, id: string, query: DeleteInstanceQuery): Promise<TaskRef> {
    requireInstanceProvider(this.#deps, ctx);
    const named = deletedTogetherOf(query);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockInstance(tx, id, ctx.scope);
      requireChangeable(row, 'delete');
      return startChange(tx, ctx, row, 'delete', (taskId) =>
        holdDeletedTogether(tx, this.#deps, id, named, taskId),
      );
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewInstance(await showInstance(ctx.db, id, ctx.scope), ctx.region.name);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: InstanceListQuery) {
    refuseUnstorable(query, 'query');
    // What the list does not declare is not checked by a schema either, whatever the query has of it.
    const { tag_key_value, metadata_kv } = query;
    const { tags = {} } = parseTagFilters({ tag_key_value, metadata_kv });
    const { count, rows } = await listInstances(ctx.db, { ...ctx.scope, query, tags });
    return {
      count,
      results: rows.map((row) => viewInstance(row, ctx.region.name, query.with_interfaces_name)),
    };
  }
}
