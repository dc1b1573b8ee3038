import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { textField } from '../../ui/fields.ts';
import { textFilter } from '../../ui/filters.tsx';
import { toCreated } from '../../ui/follow-task.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { given, text } from '../../ui/side-form.tsx';
import { Tags } from '../../ui/tags.tsx';
import { terraform } from '../../ui/terraform.ts';
import { Time } from '../../ui/time.tsx';
import { tagsOf } from '../../ui/values.ts';
import { ruleFields, ruleOf } from './rules.ts';
import { useGroupVerbs } from './verbs.tsx';

export type SecurityGroup = Schemas['SecurityGroup'];

const count = (group: SecurityGroup, direction: 'ingress' | 'egress') =>
  (group.security_group_rules ?? []).filter((rule) => rule.direction === direction).length;

const COLUMNS: readonly Column<SecurityGroup>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Description', cell: ({ description }) => description },
  { label: 'Inbound rules', cell: (group) => count(group, 'ingress'), end: true },
  { label: 'Outbound rules', cell: (group) => count(group, 'egress'), end: true, wideOnly: true },
  { label: 'Tags', cell: ({ tags_v2 }) => <Tags tags={tags_v2} />, wideOnly: true },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Rules of who may reach what, that ports carry. */
export function SecurityGroups() {
  const { scope, path, params } = useListOfScope(({ name }) => ({ name__contains: name }));
  const { verbs, remove } = useGroupVerbs(scope);
  const result = useQuery(
    api.queryOptions('get', '/cloud/v1/securitygroups/{project_id}/{region_id}', { params }),
  );
  return (
    <NounPage<SecurityGroup, Schemas['CreateSecurityGroup']>
      title="Security groups"
      about="Rules for the traffic of instances. What no rule allows is dropped."
      filters={[textFilter('name', 'Name')]}
      result={result}
      columns={COLUMNS}
      href={({ id }) => pathIn(scope, 'security-groups', id)}
      verbs={verbs}
      remove={remove}
      empty={{
        title: 'No security groups',
        about: 'Create one with its first rule, and give it to instances.',
      }}
      form={{
        title: 'Create security group',
        fields: [
          textField('name', 'Name'),
          { key: 'about', label: 'What the group is for', kind: 'text', fault: 'description' },
          ...ruleFields(undefined).filter(({ key }) => key !== 'description'),
          { key: 'tags', label: 'Tags', kind: 'tags' },
        ],
        body: (values) => ({
          name: text(values, 'name'),
          ...given({ description: text(values, 'about'), tags: tagsOf(values) }),
          rules: [ruleOf(values)],
        }),
        request: (body) =>
          apiCall('post', '/cloud/v2/security_groups/{project_id}/{region_id}', { params: { path }, body }),
        terraform: (body) => terraform('gcore_securitygroup', body.name, scope, { ...body }),
        to: toCreated(scope, 'security_groups'),
      }}
    />
  );
}
