import { offsetTime } from '../../kernel/codecs.ts';
import { viewTags } from '../../platform/http/tags.ts';
import { viewScoped } from '../../platform/http/views.ts';
import type { GroupRow, Rule } from './model.ts';

/** What of a security group is shown. */
export function viewGroup(row: GroupRow, region: string) {
  return viewScoped(row, region, {
    name: row.name,
    description: row.description,
    security_group_rules: row.rules.map((rule) => viewRule(rule, row)),
    revision_number: row.revision_number,
    tags_v2: viewTags(row.tags),
    metadata: viewTags(row.tags),
    created_at: offsetTime(row.created_at),
    updated_at: offsetTime(row.updated_at),
  });
}

/** What of a rule is shown. A rule is replaced, not revised. */
export function viewRule(rule: Rule, { id: security_group_id }: GroupRow) {
  return {
    id: rule.id,
    security_group_id,
    direction: rule.direction,
    ethertype: rule.ethertype,
    protocol: rule.protocol,
    port_range_min: rule.port_range_min,
    port_range_max: rule.port_range_max,
    remote_group_id: rule.remote_group_id,
    remote_ip_prefix: rule.remote_ip_prefix,
    description: rule.description,
    revision_number: 0,
    created_at: offsetTime(rule.created_at),
    updated_at: offsetTime(rule.updated_at),
  };
}
