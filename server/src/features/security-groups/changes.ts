import { Conflict, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { patchTags } from '../../platform/http/tags.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../platform/tasks/start.ts';
import { checkRemotes, requireGroups, type SecurityGroupDeps, sameTraits, traitsOf } from './common.ts';
import type { GroupRow } from './model.ts';
import { type RequestedRules, type ReviseSecurityGroup, revised } from './revise.ts';
import {
  checkCount,
  checkRules,
  matchKey,
  mergeRules,
  type NewRule,
  ruleField,
  ruleOf,
  usualRules,
} from './rules.ts';
import type { RuleInput, UpdateSecurityGroup } from './schema.ts';
import * as store from './store.ts';
import type { ChangeInput } from './tasks.ts';

/** Changes of security groups and their rules: one transaction and one task each. */
export class SecurityGroupChanges {
  readonly #deps: SecurityGroupDeps;

  constructor(deps: SecurityGroupDeps) {
    this.#deps = deps;
  }

  /** Changes it by a task; that of one that changes nothing has ended already.
   *  @throws Invalid with every fault, NotFound, Locked naming the task that holds it */
  async update(ctx: RegionContext, id: string, input: UpdateSecurityGroup): Promise<TaskRef> {
    return this.#update(
      ctx,
      id,
      input,
      () => input.rules && { rules: input.rules.map(ruleOf), field: ruleField },
    );
  }

  /** The same, with single rules that come and go.
   *  @throws the same, and Invalid for a rule that is not there */
  async revise(ctx: RegionContext, id: string, input: ReviseSecurityGroup): Promise<TaskRef> {
    const { changed_rules: changes } = input;
    return this.#update(ctx, id, input, (row, faults) => changes && revised(row, changes, faults));
  }

  async #update(
    ctx: RegionContext,
    id: string,
    input: Omit<UpdateSecurityGroup, 'rules'>,
    requestedOf: (row: GroupRow, faults: Faults) => RequestedRules | undefined,
  ): Promise<TaskRef> {
    return this.#change(ctx, id, 'update_security_group', async (row, tx) => {
      const faults = new Faults();
      const tags = faults.try(() => patchTags(row.tags, input.tags));
      if (row.is_default && input.name !== undefined && input.name !== row.name) {
        faults.add('name', 'the default group of a project keeps its name');
      }
      const requested = requestedOf(row, faults);
      if (requested) {
        checkCount(requested.rules.length, faults);
        checkRules(requested.rules, requested.field, faults);
        await checkRemotes(tx, ctx, requested.rules, requested.field, faults, row.id);
      }
      const checked = faults.require(tags);
      const { name = row.name, description = row.description } = input;
      const rules = requested ? mergeRules(ctx, row.rules, requested.rules) : row.rules;
      return { after: { name, description, tags: checked, rules } };
    });
  }

  /** Gives it the rules of a default group. Resolves when it does; when that takes its time, it does so later.
   *  @throws NotFound, Conflict when a task holds it, or with the reason when it could not be done */
  async revert(ctx: RegionContext, id: string): Promise<void> {
    const task = await this.#change(ctx, id, 'update_security_group', async (row) => ({
      after: { ...traitsOf(row), rules: mergeRules(ctx, row.rules, usualRules()) },
    }));
    await this.#deps.tasks.settled(ctx, task, `Security group ${id} could not be reverted`);
  }

  /** @throws Invalid with every fault, NotFound, Conflict when a rule lets the same through or a task holds it */
  async addRule(ctx: RegionContext, id: string, input: RuleInput): Promise<TaskRef> {
    const { task } = await this.#addRule(ctx, id, input);
    return task;
  }

  /** The same, and resolves with the rule's id when it is done; when that takes its time, it is done later. */
  async addRuleNow(ctx: RegionContext, id: string, input: RuleInput): Promise<string> {
    const { task, ruleId } = await this.#addRule(ctx, id, input);
    await this.#deps.tasks.settled(ctx, task, `A rule of security group ${id} could not be added`);
    return ruleId;
  }

  async #addRule(
    ctx: RegionContext,
    id: string,
    input: RuleInput,
  ): Promise<{ task: TaskRef; ruleId: string }> {
    const ruleId = ctx.ids.uuid();
    const task = await this.#change(ctx, id, 'create_security_group_rule', async (row, tx) => {
      const rule = await this.#checkedRule(tx, ctx, row, input);
      const faults = new Faults();
      checkCount(row.rules.length + 1, faults);
      faults.refuse();
      const now = ctx.clock.timestamp();
      const added = { ...rule, id: ruleId, created_at: now, updated_at: now };
      return { after: { ...traitsOf(row), rules: [...row.rules, added] }, ruleId };
    });
    return { task, ruleId };
  }

  /** Makes a rule let something else through; it keeps its id. Resolves when it does; when that takes its time, it
   *  does so later.
   *  @throws the same as `addRule` */
  async replaceRule(ctx: RegionContext, id: string, ruleId: string, input: RuleInput): Promise<void> {
    const task = await this.#change(ctx, id, 'update_security_group', async (row, tx) => {
      const had = row.rules.find((each) => each.id === ruleId.toLowerCase());
      if (!had) throw new NotFound(`Security group ${id} has no rule ${ruleId}`);
      const rule = await this.#checkedRule(tx, ctx, row, input, had.id);
      const after = { ...had, ...rule, updated_at: ctx.clock.timestamp() };
      const rules = row.rules.map((each) => (each === had ? after : each));
      return { after: { ...traitsOf(row), rules } };
    });
    await this.#deps.tasks.settled(ctx, task, `Rule ${ruleId} could not be changed`);
  }

  /** @param itself the rule that it is to become
   *  @throws Invalid with every fault, Conflict when another rule lets the same through */
  async #checkedRule(
    tx: Tx,
    ctx: RegionContext,
    row: GroupRow,
    input: RuleInput,
    itself?: string,
  ): Promise<NewRule> {
    const rule = ruleOf(input);
    const faults = new Faults();
    checkRules([rule], () => '', faults);
    await checkRemotes(tx, ctx, [rule], () => '', faults, row.id);
    faults.refuse();
    const twin = row.rules.find((other) => other.id !== itself && matchKey(other) === matchKey(rule));
    if (twin) throw new Conflict(`Rule ${twin.id} allows the same already`);
    return rule;
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
      const row = await store.lockFreeGroup(tx, id, ctx.scope);
      const input = await inputOf(row, tx);
      const taskId = ctx.ids.uuid();
      if (sameTraits(row, input.after)) return startNothing(tx, ctx, taskFor(ctx, type, row, { id: taskId }));
      await store.holdGroup(tx, id, taskId);
      return startFor(tx, ctx, type, row, { id: taskId, input: { ...input } });
    });
  }
}
