import { useQuery } from '@tanstack/react-query';
import { volumes } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { choiceField, textField } from '../../ui/fields.ts';
import { textFilter } from '../../ui/filters.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { given } from '../../ui/side-form.tsx';
import { Tags } from '../../ui/tags.tsx';
import { terraform } from '../../ui/terraform.ts';
import { Time } from '../../ui/time.tsx';
import { tagsOf, texts } from '../../ui/values.ts';
import { StatusWithReason } from '../../ui/why-failed.tsx';
import { type Snapshot, useSnapshotVerbs } from './verbs.tsx';

const SNAPSHOTS = '/cloud/v1/snapshots/{project_id}/{region_id}';

export const SNAPSHOT_COLUMNS: readonly Column<Snapshot>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: (snapshot) => <StatusWithReason of={snapshot} /> },
  { label: 'Size', cell: ({ size }) => `${size} GiB`, end: true },
  { label: 'Description', cell: ({ description }) => description ?? '', wideOnly: true },
  { label: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, wideOnly: true },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** What volumes were at some moment. */
export function Snapshots() {
  const { scope, path, params } = useListOfScope(({ name }) => ({ name__contains: name }));
  const { verbs } = useSnapshotVerbs(scope);
  const result = useQuery(api.queryOptions('get', SNAPSHOTS, { params }));
  return (
    <NounPage<Snapshot, Schemas['CreateSnapshot']>
      title="Snapshots"
      about="A copy of a volume at one moment, from which other volumes are created."
      filters={[textFilter('name', 'Name')]}
      result={result}
      columns={SNAPSHOT_COLUMNS}
      verbs={verbs}
      empty={{
        title: 'No snapshots here',
        about: 'Take one before you change something that you may regret.',
      }}
      form={{
        title: 'Take snapshot',
        fields: [
          choiceField('volume_id', 'Volume', volumes(scope)),
          textField('name', 'Name'),
          { key: 'description', label: 'Description', kind: 'text' },
          { key: 'tags', label: 'Tags', kind: 'tags' },
        ],
        body: (values) => ({
          ...texts(values, 'volume_id', 'name'),
          ...given({ ...texts(values, 'description'), tags: tagsOf(values) }),
        }),
        request: (body) => apiCall('post', SNAPSHOTS, { params: { path }, body }),
        terraform: (body) => terraform('gcore_snapshot', body.name, scope, { ...body }),
      }}
    />
  );
}
