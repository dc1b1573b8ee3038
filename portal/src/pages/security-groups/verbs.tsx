import { apiCall } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import type { DeleteOptions } from '../../ui/delete-action.tsx';
import { useFieldForm } from '../../ui/field-form.ts';
import { textField } from '../../ui/fields.ts';
import { editing, type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import { tagChanges, tagPairs, texts } from '../../ui/values.ts';
import type { SecurityGroup } from './list.tsx';

const GROUP = '/cloud/v1/securitygroups/{project_id}/{region_id}/{group_id}';

interface Edit {
  readonly name: string;
  readonly description: string;
  readonly tags: Record<string, string | null>;
}

/** What can be done with a security group. */
export function useGroupVerbs(scope: Scope): {
  readonly verbs: readonly RowVerb<SecurityGroup>[];
  readonly remove: DeleteOptions<SecurityGroup>;
} {
  const path = (id: string) => ({ ...pathParams(scope), group_id: id });
  const edit = useRowForm<SecurityGroup, Edit>({
    label: 'Rename, tag…',
    form: (group) => ({
      ...editing(group.name, [
        { key: 'description', label: 'Description', kind: 'text', initial: group.description },
        { key: 'tags', label: 'Tags', kind: 'tags', initial: tagPairs(group.tags_v2) },
      ]),
      body: (values) => ({
        ...texts(values, 'name', 'description'),
        tags: tagChanges(group.tags_v2, values),
      }),
      request: (body) =>
        apiCall('patch', '/cloud/v2/security_groups/{project_id}/{region_id}/{group_id}', {
          params: { path: path(group.id) },
          body,
        }),
    }),
  });
  const copy = useFieldForm({
    label: 'Copy…',
    title: ({ name }: SecurityGroup) => `Copy ${name}`,
    asks: 'name',
    field: (key, { name }) => textField(key, 'Name of the copy', { initial: `${name}-copy` }),
    request: ({ id }, body) => apiCall('post', `${GROUP}/copy`, { params: { path: path(id) }, body }),
  });
  return {
    verbs: [edit, copy],
    remove: {
      kind: 'security group',
      consequences: () => 'A group that instances still have stays.',
      disabled: ({ name }) =>
        name === 'default' ? 'It is the one that instances get that name none' : undefined,
      call: ({ id }) => apiCall('delete', GROUP, { params: { path: path(id) } }),
    },
  };
}
