import { Conflict, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { refuseUnstorable } from '../../platform/http/json.ts';
import { parseTagFilters } from '../../platform/http/tag-filters.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import { startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import { checkRemotes, refuseUsed, requireGroups, type SecurityGroupDeps } from './common.ts';
import {
  bareRule,
  checkCount,
  checkGroup,
  mergeRules,
  type NewRule,
  ruleField,
  rulesOfNew,
} from './rules.ts';
import type { CreateSecurityGroup, SecurityGroupListQuery } from './schema.ts';
import * as store from './store.ts';
import { viewGroup, viewRule } from './views.ts';

/** Security groups come and go, one transaction and one task each, and are read. */
export class SecurityGroupService {
  readonly #deps: SecurityGroupDeps;

  constructor(deps: SecurityGroupDeps) {
    this.#deps = deps;
  }

  /** Without rules it lets nothing in and everything out.
   *  @throws Invalid with every fault, Forbidden, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateSecurityGroup): Promise<TaskRef> {
    const { task } = await this.#create(ctx, input);
    return task;
  }

  async #create(ctx: RegionContext, input: CreateSecurityGroup): Promise<{ task: TaskRef; id: string }> {
    const faults = new Faults();
    const { tags, rules: given = [] } = checkGroup(input, faults);
    const rules = rulesOfNew(given);
    checkCount(rules.length, faults);
    return this.#insert(ctx, { ...input, tags, rules }, faults);
  }

  /** The same, and resolves with the group when it is there; when that takes its time, it is done later. */
  async createNow(ctx: RegionContext, input: CreateSecurityGroup) {
    const { task, id } = await this.#create(ctx, input);
    await this.#deps.tasks.settled(ctx, task, `Security group ${input.name} could not be created`);
    return this.get(ctx, id);
  }

  /** A group with the same rules; those that name the group itself name the copy.
   *  @throws NotFound, Locked naming the task that holds it, Forbidden, QuotaExceeded */
  async copy(ctx: RegionContext, id: string, name: string) {
    const row = await store.readGroup(ctx.db, id, ctx.scope);
    requireFree('Security group', row);
    const { task, id: copy } = await this.#insert(ctx, { ...row, name }, new Faults(), row.id);
    await this.#deps.tasks.settled(ctx, task, `Security group ${id} could not be copied`);
    return this.get(ctx, copy);
  }

  /** Resolves when it is gone; when that takes its time, it goes later.
   *  @throws NotFound, Conflict for the default group, one that is in use or held, or with the reason when it could
   *  not go */
  async delete(ctx: RegionContext, id: string): Promise<void> {
    requireGroups(this.#deps, ctx);
    const task = await ctx.db.transaction(async (tx) => {
      const row = await store.lockFreeGroup(tx, id, ctx.scope);
      if (row.is_default) throw new Conflict('The default security group of a project cannot be deleted');
      await refuseUsed(tx, id);
      const taskId = ctx.ids.uuid();
      await store.holdGroup(tx, id, taskId, true);
      return startFor(tx, ctx, 'delete_security_group', row, { id: taskId });
    });
    await this.#deps.tasks.settled(ctx, task, `Security group ${id} could not be deleted`);
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewGroup(await store.readGroup(ctx.db, id, ctx.scope), ctx.region.name);
  }

  /** One rule, wherever it belongs, as it is shown. @throws NotFound */
  async rule(ctx: RegionContext, ruleId: string) {
    const group = await store.readGroupOfRule(ctx.db, ruleId, ctx.scope);
    const rule = group.rules.find(({ id }) => id === ruleId.toLowerCase());
    if (!rule) throw new NotFound(`Security group rule ${ruleId} was not found`);
    return viewRule(rule, group);
  }

  /** What a group filters. @throws NotFound */
  async instances(ctx: RegionContext, id: string) {
    const { id: known } = await store.readGroup(ctx.db, id, ctx.scope);
    return this.#deps.instances.list(ctx, known);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: SecurityGroupListQuery) {
    refuseUnstorable(query, 'query');
    const page = await store.listGroups(ctx.db, {
      ...ctx.scope,
      ...parseTagFilters(query),
      name: query.name,
      namePart: query.name__contains,
      limit: query.limit,
      offset: query.offset,
    });
    return viewPage(page, (row) => viewGroup(row, ctx.region.name));
  }

  /** @param copied the group whose rules they are, if they are a copy's */
  async #insert(
    ctx: RegionContext,
    group: { name: string; description: string; tags: StoredTags; rules: readonly NewRule[] },
    faults: Faults,
    copied?: string,
  ): Promise<{ task: TaskRef; id: string }> {
    requireGroups(this.#deps, ctx);
    const scope = ctx.scope;
    const { clientId } = ctx.project;
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, scope.projectId);
      const [id, taskId] = [ctx.ids.uuid(), ctx.ids.uuid()];
      await checkRemotes(tx, ctx, group.rules, ruleField, faults);
      faults.refuse();
      const own = group.rules.map((rule) => ({
        ...bareRule(rule),
        remote_group_id: copied !== undefined && rule.remote_group_id === copied ? id : rule.remote_group_id,
      }));
      const { name, description, tags } = group;
      const timestamp = ctx.clock.timestamp();
      const rules = mergeRules(ctx, [], own);
      await store.insertGroup(tx, {
        ...scope,
        id,
        clientId,
        name,
        description,
        tags,
        rules,
        taskId,
        timestamp,
      });
      const task = await startFor(tx, ctx, 'create_security_group', { id, name }, { id: taskId });
      await reserve(tx, ctx.quota, { firewall_count: 1 });
      return { task, id };
    });
  }
}
