import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { optionField, textField } from '../../ui/fields.ts';
import { textFilter } from '../../ui/filters.tsx';
import { Links } from '../../ui/links.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { text } from '../../ui/side-form.tsx';
import { terraform } from '../../ui/terraform.ts';

const GROUPS = '/cloud/v1/servergroups/{project_id}/{region_id}';

type ServerGroup = Schemas['ServerGroup'];

const POLICIES = optionsOf({
  'anti-affinity': 'Anti-affinity: each on another host, or not at all',
  'soft-anti-affinity': 'Soft anti-affinity: on different hosts where possible',
  affinity: 'Affinity: all on one host',
});

/** Groups of instances that stand together or apart. */
export function ServerGroups() {
  const { scope, path, params } = useListOfScope(({ name }) => ({ name__contains: name }));
  const result = useQuery(api.queryOptions('get', GROUPS, { params }));
  const columns: readonly Column<ServerGroup>[] = [
    { label: 'Name', cell: ({ name }) => name },
    {
      label: 'Policy',
      cell: ({ policy }) => POLICIES.find(({ value }) => value === policy)?.label ?? policy,
    },
    {
      label: 'Instances',
      cell: ({ instances }) =>
        instances.length === 0 ? (
          'none'
        ) : (
          <Links
            page="instances"
            to={instances.map(({ instance_id: id, instance_name: name }) => ({ id, name }))}
          />
        ),
    },
  ];
  return (
    <NounPage<ServerGroup, Schemas['CreateServerGroup']>
      title="Server groups"
      about="Says of instances whether they stand on the same host, or on different ones so that not all fail at once."
      filters={[textFilter('name', 'Name')]}
      result={result}
      columns={columns}
      remove={{
        kind: 'server group',
        consequences: () => 'Its instances stay where they are.',
        disabled: ({ instances }) =>
          instances.length > 0 ? 'Instances are in it: remove them first' : undefined,
        call: ({ servergroup_id }) =>
          apiCall('delete', `${GROUPS}/{group_id}`, {
            params: { path: { ...path, group_id: servergroup_id } },
          }),
      }}
      empty={{
        title: 'No server groups',
        about: 'Create one before the instances that belong together, and choose it when you create them.',
      }}
      form={{
        title: 'Create server group',
        fields: [
          textField('name', 'Name'),
          optionField('policy', 'Policy', POLICIES, { initial: 'anti-affinity' }),
        ],
        body: (values) => ({
          name: text(values, 'name'),
          policy: text(values, 'policy') as 'affinity',
        }),
        request: (body) => apiCall('post', GROUPS, { params: { path }, body }),
        terraform: (body) => terraform('gcore_servergroup', body.name, scope, { ...body }),
      }}
    />
  );
}
