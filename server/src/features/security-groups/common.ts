import type { TSchema } from '@sinclair/typebox';
import { Conflict } from '../../kernel/errors.ts';
import type { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { sameTags } from '../../platform/http/tags.ts';
import { requireProvider } from '../../platform/tasks/providers.ts';
import type { TaskReads } from '../tasks/index.ts';
import type { GroupRow, GroupTraits } from './model.ts';
import type { SecurityGroupProvider } from './port.ts';
import { matchKey, type NewRule } from './rules.ts';
import { keepGroups, readUsers } from './store.ts';

/** What the services of the feature share. */

/** What groups filter. Instances are that; they name groups themselves, and are handed in. */
export interface FilteredInstances {
  /** What a list of them looks like. */
  readonly schema: TSchema;
  list(ctx: RegionContext, groupId: string): Promise<object>;
}

export interface SecurityGroupDeps {
  readonly instances: FilteredInstances;
  providerOf(regionId: number): SecurityGroupProvider | undefined;
  readonly tasks: TaskReads;
}

/** @throws Forbidden when the region has no security groups */
export function requireGroups(deps: SecurityGroupDeps, ctx: RegionContext): void {
  requireProvider(deps, ctx.region, 'security groups');
}

/** What a fault of a rule in a list is named after. */

/** Adds a fault for each group that a rule names and that is not there. @param itself the group of the rules */
export async function checkRemotes(
  tx: Tx,
  ctx: RegionContext,
  rules: readonly NewRule[],
  field: (index: number) => string,
  faults: Faults,
  itself?: string,
): Promise<void> {
  const others = rules.flatMap(({ remote_group_id: id }) => (id === null || id === itself ? [] : [id]));
  const found = new Set((await keepGroups(tx, others, ctx.scope)).map(({ id }) => id));
  for (const [index, { remote_group_id: id }] of rules.entries()) {
    if (id === null || id === itself || found.has(id)) continue;
    faults.add(`${field(index)}remote_group_id`, `security group ${id} was not found`);
  }
}

export const traitsOf = ({ name, description, tags, rules }: GroupRow): GroupTraits => ({
  name,
  description,
  tags,
  rules,
});

export function sameTraits(a: GroupTraits, b: GroupTraits): boolean {
  const ruleIds = (group: GroupTraits) =>
    group.rules
      .map((rule) => `${rule.id} ${matchKey(rule)} ${rule.description}`)
      .sort()
      .join();
  return (
    a.name === b.name &&
    a.description === b.description &&
    sameTags(a.tags, b.tags) &&
    ruleIds(a) === ruleIds(b)
  );
}

const USERS_SHOWN = 5;

/** @throws Conflict naming what uses the group */
export async function refuseUsed(tx: Tx, id: string): Promise<void> {
  const users = await readUsers(tx, id, USERS_SHOWN + 1);
  if (users.length === 0) return;
  const more = users.length > USERS_SHOWN ? ' and others' : '';
  throw new Conflict(
    `Security group ${id} is in use by ${users.slice(0, USERS_SHOWN).join(', ')}${more}; remove it from them first`,
  );
}
