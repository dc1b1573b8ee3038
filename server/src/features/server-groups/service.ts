import { Conflict, NotOffered } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { refuseUnstorable } from '../../platform/http/json.ts';
import { startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import type { CreateServerGroup, ServerGroupListQuery } from './schema.ts';
import * as store from './store.ts';

export interface ServerGroupDeps {
  /** Whether instances can be made in a region. */
  hasInstances(regionId: number): boolean;
}

const MEMBERS_SHOWN = 5;

/** What of a group is shown. */
const viewGroup = (
  { id, project_id, region_id, name, policy, instances }: store.GroupRow,
  region: string,
) => ({
  servergroup_id: id,
  project_id,
  region_id,
  region,
  name,
  policy,
  instances,
});

/** Commands on server groups, one transaction each, and reads. */
export class ServerGroupService {
  readonly #deps: ServerGroupDeps;

  constructor(deps: ServerGroupDeps) {
    this.#deps = deps;
  }

  /** Creates it at once.
   *  @throws Forbidden, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateServerGroup) {
    this.#require(ctx);
    const scope = ctx.scope;
    const { clientId } = ctx.project;
    const id = ctx.ids.uuid();
    await ctx.db.transaction(async (tx) => {
      await guardProject(tx, scope.projectId);
      const { name, policy } = input;
      const timestamp = ctx.clock.timestamp();
      await store.insertGroup(tx, { ...scope, id, clientId, name, policy, timestamp });
      await recordAudit(tx, ctx, { action: 'create_servergroup', subject: id, name, ...scope });
      await reserve(tx, ctx.quota, { servergroup_count: 1 });
    });
    return this.get(ctx, id);
  }

  /** @throws NotFound, Conflict naming its members, Locked naming the task that deletes it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    this.#require(ctx);
    const scope = ctx.scope;
    return ctx.db.transaction(async (tx) => {
      const { instances, name } = await store.lockGroup(tx, id, scope);
      if (instances.length > 0) {
        const names = instances.slice(0, MEMBERS_SHOWN).map((member) => member.instance_id);
        const more = instances.length > MEMBERS_SHOWN ? ' and others' : '';
        throw new Conflict(
          `Server group ${id} has instances ${names.join(', ')}${more}; remove them from it first`,
        );
      }
      const taskId = ctx.ids.uuid();
      await store.holdGroup(tx, id, taskId);
      return startFor(tx, ctx, 'delete_servergroup', { id, name }, { id: taskId });
    });
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewGroup(await store.readGroup(ctx.db, id, ctx.scope), ctx.region.name);
  }

  async list(ctx: RegionContext, query: ServerGroupListQuery) {
    refuseUnstorable(query, 'query');
    const { name__contains: namePart, limit, offset } = query;
    const where = { ...ctx.scope, namePart, limit, offset };
    return viewPage(await store.listGroups(ctx.db, where), (row) => viewGroup(row, ctx.region.name));
  }

  /** @throws Forbidden when the region has no instances to group */
  #require(ctx: RegionContext): void {
    if (this.#deps.hasInstances(ctx.region.id)) return;
    throw new NotOffered(`Region ${ctx.region.name} has no server groups`);
  }
}
