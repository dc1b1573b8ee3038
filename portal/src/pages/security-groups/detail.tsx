import { useQuery } from '@tanstack/react-query';
import { securityGroups } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Detail, useDetailScope } from '../../ui/detail.tsx';
import { Links } from '../../ui/links.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { rowCall } from '../../ui/row-call.ts';
import { useRowForm } from '../../ui/row-form.tsx';
import type { RowAction } from '../../ui/row-menu.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { tagFacts } from '../../ui/tags.tsx';
import { Time } from '../../ui/time.tsx';
import type { SecurityGroup } from './list.tsx';
import { type Rule, ruleFields, ruleOf, whatPasses } from './rules.ts';
import { useGroupVerbs } from './verbs.tsx';

const GROUP = '/cloud/v1/securitygroups/{project_id}/{region_id}/{group_id}';
const RULES = '/cloud/v2/security_groups/{project_id}/{region_id}/{group_id}/rules';

/** One group: what passes in, what passes out, and whom it is for. */
export function SecurityGroupDetail() {
  const { scope, id, back } = useDetailScope('security-groups', 'Security groups');
  const { verbs, remove } = useGroupVerbs(scope);
  const path = { ...pathParams(scope), group_id: id };
  const query = useQuery(api.queryOptions('get', GROUP, { params: { path } }));
  const members = useQuery(api.queryOptions('get', `${GROUP}/instances`, { params: { path } }));
  const add = useRowForm<SecurityGroup, Schemas['CreateSecurityGroupRule']>({
    label: 'Add rule…',
    form: (group) => ({
      title: `Add a rule to ${group.name}`,
      fields: ruleFields(securityGroups(scope)),
      body: ruleOf,
      request: (body) => apiCall('post', RULES, { params: { path }, body }),
    }),
  });
  const drop = rowCall<Rule>({
    label: 'Remove',
    danger: true,
    title: (rule) => `Remove the rule for ${whatPasses(rule)}`,
    call: (rule) =>
      apiCall('delete', `${RULES}/{rule_id}`, { params: { path: { ...path, rule_id: rule.id } } }),
  });
  return (
    <Detail<SecurityGroup>
      kind="Security group"
      back={back}
      query={query}
      verbs={[add, ...verbs]}
      remove={remove}
      head={(group) => (
        <ActionButton size="sm" variant="filled" action={{ ...add.action, label: 'Add rule' }} row={group} />
      )}
      facts={(group) => [
        { label: 'Description', value: group.description || 'none' },
        { label: 'Instances', value: <Members instances={members.data?.results} unread={members.isError} /> },
        { label: 'Created', value: <Time at={group.created_at} /> },
        ...tagFacts(group.tags_v2),
      ]}
    >
      {(group) => (
        <>
          <Rules group={group} direction="ingress" drop={drop} />
          <Rules group={group} direction="egress" drop={drop} />
        </>
      )}
    </Detail>
  );
}

function Members({
  instances,
  unread,
}: {
  readonly instances: readonly { readonly id: string; readonly name: string }[] | undefined;
  readonly unread: boolean;
}) {
  if (!instances) return unread ? 'could not be read' : '…';
  if (instances.length === 0) return 'none';
  return <Links page="instances" to={instances} />;
}

interface RulesProps {
  readonly group: SecurityGroup;
  readonly direction: 'ingress' | 'egress';
  readonly drop: RowAction<Rule>;
}

function Rules({ group, direction, drop }: RulesProps) {
  const inwards = direction === 'ingress';
  const rules = (group.security_group_rules ?? []).filter((rule) => rule.direction === direction);
  const columns: readonly Column<Rule>[] = [
    { label: 'Traffic', cell: whatPasses },
    { label: inwards ? 'From' : 'To', cell: peerOf },
    { label: 'IP version', cell: ({ ethertype }) => ethertype ?? 'both' },
    { label: 'Description', cell: ({ description }) => description ?? '' },
  ];
  return (
    <Card title={inwards ? 'In' : 'Out'}>
      {rules.length === 0 ? (
        <Empty
          title={inwards ? 'No inbound traffic' : 'No outbound traffic'}
          about="Add a rule for the traffic to allow."
        />
      ) : (
        <Table
          title={inwards ? 'Inbound rules' : 'Outbound rules'}
          rows={rules}
          columns={columns}
          rowKey={({ id }) => id}
          actions={[drop]}
        />
      )}
    </Card>
  );
}

function peerOf({ remote_ip_prefix, remote_group_id, security_group_id }: Rule): string {
  if (remote_group_id) {
    return remote_group_id === security_group_id
      ? 'instances of this group'
      : `group ${remote_group_id.slice(0, 8)}`;
  }
  return remote_ip_prefix && !/^(0\.0\.0\.0|::)\/0$/.test(remote_ip_prefix) ? remote_ip_prefix : 'everybody';
}
