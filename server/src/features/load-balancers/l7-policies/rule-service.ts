import { Conflict, NotFound } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import type { DataPlanes } from '../data-planes.ts';
import type { L7RuleRow, LoadBalancerTree } from '../model.ts';
import { differing, type PartService, partOf } from '../parts/service.ts';
import { getRule } from './reads.ts';
import type { CreateRule, ReplaceRule } from './rule-schema.ts';
import { checkRule, checkTags, needsKey, type RuleParts } from './rules.ts';

/** Commands on the rules of L7 policies: one transaction and one task each. */
export class L7RuleService {
  readonly #parts: PartService;
  readonly #providers: DataPlanes;

  constructor(parts: PartService, providers: DataPlanes) {
    this.#parts = parts;
    this.#providers = providers;
  }

  /** @throws Invalid with every faulty field, NotFound for the policy */
  async create(ctx: RegionContext, policyId: string, input: CreateRule): Promise<TaskRef> {
    const id = policyId.toLowerCase();
    const parts = { ...input, key: input.key ?? null };
    const pattern = await this.#patternFault(ctx, parts);
    return this.#parts.changePart(ctx, { kind: 'policy', id }, ({ tree, rows }) => {
      refuseFaults(parts, input.tags, pattern, listenerOf(tree, id).protocol);
      const { type, compare_type, key, value, invert = false, tags = [] } = parts;
      const ruleId = rows.addRule(id, { type, compare_type, key, value, invert, tags });
      return { task: 'create_l7rule', subject: { id: ruleId, name: '' }, data: { l7policy_id: id } };
    });
  }

  /** What is not given stays; it is a task even when nothing changes, which is what clients wait for.
   *  @throws Invalid with every faulty field, NotFound, Conflict when the rule changes in the meantime */
  async replace(ctx: RegionContext, policyId: string, ruleId: string, input: ReplaceRule): Promise<TaskRef> {
    const [policy, id] = [policyId.toLowerCase(), ruleId.toLowerCase()];
    const judged = partsAfter(await getRule(ctx, policy, id), input);
    const pattern = await this.#patternFault(ctx, judged);
    return this.#parts.changePart(ctx, { kind: 'rule', id }, ({ tree }) => {
      const row = ruleOf(tree, policy, id);
      const parts = partsAfter(row, input);
      if (patternOf(parts) !== patternOf(judged)) {
        throw new Conflict(`L7 rule ${id} was changed meanwhile; try again`, { retryAfterMs: 1000 });
      }
      refuseFaults(parts, input.tags, pattern, listenerOf(tree, policy).protocol);
      const set = differing('rule', row, { ...parts, invert: input.invert, tags: input.tags });
      const data = { l7policy_id: policy };
      return { task: 'put_l7rule', subject: { id, name: '' }, data, updates: { rule: [{ id, set }] } };
    });
  }

  /** @throws NotFound */
  async delete(ctx: RegionContext, policyId: string, ruleId: string): Promise<TaskRef> {
    const [policy, id] = [policyId.toLowerCase(), ruleId.toLowerCase()];
    return this.#parts.changePart(ctx, { kind: 'rule', id }, ({ tree }) => {
      ruleOf(tree, policy, id);
      const data = { l7policy_id: policy };
      return { task: 'delete_l7rule', subject: { id, name: '' }, data, removals: [{ kind: 'rule', id }] };
    });
  }

  /** Asked before the transaction: it takes the data plane some time to judge a regular expression. */
  async #patternFault(ctx: RegionContext, parts: RuleParts): Promise<string | null> {
    const pattern = patternOf(parts);
    const provider = this.#providers.of(ctx.region.id);
    if (pattern === null || (await this.#providers.unavailable(ctx.region.id)) !== null) return null;
    return (await provider?.patternFault?.(pattern)) ?? null;
  }
}

const patternOf = ({ compare_type, value }: RuleParts): string | null =>
  compare_type === 'REGEX' ? value : null;

/** A rule that becomes one without a key loses the key that it had. */
function partsAfter(row: RuleParts, input: ReplaceRule): RuleParts {
  const type = input.type ?? row.type;
  return {
    type,
    compare_type: input.compare_type ?? row.compare_type,
    key: input.key ?? (needsKey(type) ? row.key : null),
    value: input.value ?? row.value,
  };
}

function refuseFaults(
  parts: RuleParts,
  tags: readonly string[] | undefined,
  pattern: string | null,
  protocol: Parameters<typeof checkRule>[1],
): void {
  const faults = new Faults();
  checkRule(parts, protocol, faults);
  checkTags(tags, faults);
  if (pattern !== null) faults.add('value', `is no regular expression that can be used: ${pattern}`);
  faults.refuse();
}

function listenerOf(tree: LoadBalancerTree, policyId: string) {
  const policy = partOf(tree.policies, policyId, 'L7 policy');
  return partOf(tree.listeners, policy.listener_id, 'Listener');
}

function ruleOf(tree: LoadBalancerTree, policyId: string, id: string): L7RuleRow {
  const row = partOf(tree.rules, id, 'L7 rule');
  if (row.policy_id !== policyId) throw new NotFound(`L7 rule ${id} was not found in L7 policy ${policyId}`);
  return row;
}
