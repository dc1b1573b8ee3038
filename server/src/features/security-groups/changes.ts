import { Conflict, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { patchTags } from '../../platform/http/tags.ts';
import { NO_TASK, startTask, type TaskRef } from '../../platform/tasks/start.ts';
import {
  checkRemotes,
  placeOf,
  requireGroups,
  ruleField,
  type SecurityGroupDeps,
  sameTraits,
  taskOf,
  traitsOf,
} from './common.ts';
import { type GroupRow, requireFree } from './model.ts';
import { checkCount, checkRules, matchKey, mergeRules, ruleOf, template } from './rules.ts';
import type { RuleInput, UpdateSecurityGroup } from './schema.ts';
import * as store from './store.ts';
import type { ChangeInput } from './tasks.ts';

/** Changes of security groups and their rules: one transaction and one task each. */
export class SecurityGroupChanges {
  readonly #deps: SecurityGroupDeps;

  constructor(deps: SecurityGroupDeps) {
    this.#deps = deps;
  }

  /** Changes it by a task; one that changes nothing needs none.
   *  @throws Invalid with every fault, NotFound, Locked naming the task that holds it */
  async update(ctx: RegionContext, id: string, input: UpdateSecurityGroup): Promise<TaskRef> {
    return this.#change(ctx, id, 'update_security_group', async (row, tx) => {
      const faults = new Faults();
      const tags = faults.try(() => (input.tags === undefined ? row.tags : patchTags(row.tags, input.tags)));
      if (row.is_default && input.name !== undefined && input.name !== row.name) {
        faults.add('name', 'the default group of a project keeps its name');
      }
      const wanted = input.rules?.map(ruleOf);
      if (wanted) {
        checkRules(wanted, ruleField, faults);
        await checkRemotes(tx, ctx, wanted, ruleField, faults, row.id);
      }
      faults.refuse();
      const { name = row.name, description = row.description } = input;
      const rules = wanted ? mergeRules(ctx, row.rules, wanted) : row.rules;
      return { after: { name, description, tags: tags ?? row.tags, rules } };
    });
  }

  /** Makes it let everything in and out. Resolves when it does; when that takes its time, it does so later.
   *  @throws NotFound, Conflict when a task holds it, or with the reason when it could not be done */
  async revert(ctx: RegionContext, id: string): Promise<void> {
    const task = await this.#change(ctx, id, 'update_security_group', async (row) => ({
      after: { ...traitsOf(row), rules: mergeRules(ctx, row.rules, template()) },
    }));
    await this.#deps.tasks.settled(ctx, task, `Security group ${id} could not be reverted`);
  }

  /** @throws Invalid with every fault, NotFound, Conflict when a rule lets the same through or a task holds it */
  async addRule(ctx: RegionContext, id: string, input: RuleInput): Promise<TaskRef> {
    return this.#change(ctx, id, 'create_security_group_rule', async (row, tx) => {
      const rule = ruleOf(input);
      const faults = new Faults();
      checkRules([rule], () => '', faults);
      await checkRemotes(tx, ctx, [rule], () => '', faults, row.id);
      checkCount(row.rules.length + 1, faults);
      faults.refuse();
      const twin = row.rules.find((other) => matchKey(other) === matchKey(rule));
      if (twin) throw new Conflict(`Rule ${twin.id} lets through the same already`);
      const [added] = mergeRules(ctx, [], [rule]);
      const rules = added ? [...row.rules, added] : row.rules;
      return { after: { ...traitsOf(row), rules }, ...(added ? { ruleId: added.id } : {}) };
    });
  }

  /** @throws NotFound for the group or the rule, Locked naming the task that holds it */
  async deleteRule(ctx: RegionContext, id: string, ruleId: string): Promise<TaskRef> {
    return this.#change(ctx, id, 'delete_security_group_rule', async (row) => {
      const rules = row.rules.filter((rule) => rule.id !== ruleId.toLowerCase());
      if (rules.length === row.rules.length) {
        throw new NotFound(`Security group ${id} has no rule ${ruleId}`);
      }
      return { after: { ...traitsOf(row), rules } };
    });
  }

  async #change(
    ctx: RegionContext,
    id: string,
    type: string,
    inputOf: (row: GroupRow, tx: Tx) => Promise<ChangeInput>,
  ): Promise<TaskRef> {
    requireGroups(this.#deps, ctx);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockGroup(tx, id, placeOf(ctx));
      requireFree(row);
      const input = await inputOf(row, tx);
      if (sameTraits(row, input.after)) return NO_TASK;
      const taskId = ctx.ids.uuid();
      await store.holdGroup(tx, id, taskId);
      return startTask(tx, ctx, { ...taskOf(ctx, type, row, taskId), input: { ...input } });
    });
  }
}
