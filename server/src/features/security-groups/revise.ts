import { type Static, Type } from '@sinclair/typebox';
import type { Faults } from '../../kernel/faults.ts';
import { Name, Uuid } from '../../platform/http/schemas.ts';
import { TagsPatch } from '../../platform/http/tags.ts';
import { type GroupRow, MAX_RULES } from './model.ts';
import { type NewRule, ruleOf } from './rules.ts';
import { RuleInput } from './schema.ts';

/** Changes of a group that name single rules, as older clients send them. */

const AddedRule = Type.Object(
  { action: Type.Literal('create'), ...RuleInput.properties },
  { $id: 'AddSecurityGroupRule' },
);
const DeletedRule = Type.Object(
  { action: Type.Literal('delete'), security_group_rule_id: Uuid() },
  { $id: 'DeleteSecurityGroupRule' },
);
type RuleChange = Static<typeof AddedRule> | Static<typeof DeletedRule>;
const RuleChange = Type.Unsafe<RuleChange>({
  $id: 'SecurityGroupRuleChange',
  oneOf: [AddedRule, DeletedRule],
  discriminator: { propertyName: 'action' },
  type: 'object',
  required: ['action'],
});

export const ReviseSecurityGroup = Type.Object(
  {
    name: Type.Optional(Name()),
    changed_rules: Type.Optional(Type.Array(RuleChange, { maxItems: 2 * MAX_RULES })),
    tags: Type.Optional(TagsPatch),
  },
  { $id: 'ReviseSecurityGroup' },
);
export type ReviseSecurityGroup = Static<typeof ReviseSecurityGroup>;

/** All rules that a group is to have, and what a fault of each is named after. */
export interface RequestedRules {
  readonly rules: readonly NewRule[];
  readonly field: (index: number) => string;
}

/** The rules of a group after these changes; adds a fault for each rule that is not there. */
export function revised(row: GroupRow, changes: readonly RuleChange[], faults: Faults): RequestedRules {
  const gone = new Set<string>();
  const added: { readonly rule: NewRule; readonly index: number }[] = [];
  for (const [index, change] of changes.entries()) {
    if (change.action === 'create') {
      added.push({ rule: ruleOf(change), index });
      continue;
    }
    const id = change.security_group_rule_id.toLowerCase();
    if (row.rules.some((rule) => rule.id === id)) gone.add(id);
    else faults.add(`changed_rules.${index}.security_group_rule_id`, 'is no rule of this group');
  }
  const kept = row.rules.filter(({ id }) => !gone.has(id));
  return {
    rules: [...kept, ...added.map(({ rule }) => rule)],
    field: (index) => `changed_rules.${added[index - kept.length]?.index ?? 0}.`,
  };
}
