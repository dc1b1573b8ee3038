import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { bytes } from '../../ui/bytes.ts';
import { useDelete } from '../../ui/delete-action.tsx';
import { textField } from '../../ui/fields.ts';
import { Parts } from '../../ui/parts.tsx';
import { useRowForm } from '../../ui/row-form.tsx';
import { text } from '../../ui/side-form.tsx';
import type { Column } from '../../ui/table.tsx';
import { list, number } from '../../ui/values.ts';
import { type Storage, type StorageUsage, type Usage, useStorageUsage, whyFixed } from './verbs.tsx';

const BUCKETS = '/storage/v4/object_storages/{storage_id}/buckets';

type Bucket = Schemas['StorageBucket'];

const columnsOf = (say: StorageUsage['say'], used: ReadonlyMap<string, Usage>): readonly Column<Bucket>[] => [
  { label: 'Name', cell: ({ name }) => name },
  {
    label: 'Access',
    cell: ({ policy }) => (policy.is_public ? 'Public: everybody reads' : 'Private: keys only'),
  },
  {
    label: 'CORS',
    cell: ({ cors }) => cors.allowed_origins.join(', ') || 'none',
  },
  {
    label: 'Lifecycle',
    cell: ({ lifecycle: { expiration_days: days } }) =>
      days === 0 ? 'kept' : `${days.toLocaleString()} days`,
  },
  {
    label: 'Objects',
    cell: ({ name }) => say(() => (used.get(name)?.files_quantity ?? 0).toLocaleString()),
    end: true,
  },
  { label: 'Space', cell: ({ name }) => say(() => bytes(used.get(name)?.used_space ?? 0)), end: true },
];

/** The buckets of a storage, with what is in them, and who may use them. */
export function Buckets({ storage }: { readonly storage: Storage }) {
  const path = { storage_id: storage.id };
  const buckets = useQuery(api.queryOptions('get', BUCKETS, { params: { path, query: { limit: 1000 } } }));
  const { rows, say } = useStorageUsage(storage.name);
  const used = new Map((rows ?? []).map((row) => [row.bucket_name, row]));
  const create = useNewBucket();
  const edit = useBucketForm(storage);
  const remove = useDelete<Bucket>({
    kind: 'bucket',
    consequences: () => 'Only an empty bucket is deleted. Its policy, CORS and expiration go with it.',
    disabled: () => whyFixed(storage),
    call: ({ name }) => apiCall('delete', `${BUCKETS}/{name}`, { params: { path: { ...path, name } } }),
  });
  return (
    <Parts
      title="Buckets"
      of={storage}
      query={buckets}
      columns={columnsOf(say, used)}
      href={({ name }) => `${location.pathname}?${new URLSearchParams({ tab: 'buckets', bucket: name })}`}
      create={create}
      verbs={[edit, remove]}
      empty={{
        title: 'No buckets',
        about: 'Objects lie in buckets. Create one here, or with an S3 client: it is listed within seconds.',
      }}
    />
  );
}

const useNewBucket = () =>
  useRowForm<Storage, Schemas['CreateStorageBucket']>({
    label: 'Create bucket',
    disabled: whyFixed,
    form: ({ id }) => ({
      title: 'Create bucket',
      fields: [textField('name', 'Name', { about: '3 to 63 lowercase letters, digits, “.” and “-”' })],
      body: (values) => ({ name: text(values, 'name') }),
      request: (body) => apiCall('post', BUCKETS, { params: { path: { storage_id: id } }, body }),
    }),
  });

const useBucketForm = (storage: Storage) =>
  useRowForm<Bucket, Schemas['UpdateStorageBucket']>({
    label: 'Access, CORS, lifecycle…',
    disabled: () => whyFixed(storage),
    form: ({ name, cors, policy, lifecycle }) => ({
      title: `Change ${name}`,
      verb: 'Save',
      fields: [
        {
          key: 'is_public',
          label: 'Everybody may read its objects',
          about: 'Without a key, by their address',
          kind: 'switch',
          initial: policy.is_public,
          fault: 'policy.is_public',
        },
        {
          key: 'origins',
          label: 'Allowed origins (CORS)',
          about: 'Origins such as https://app.example, or * for all',
          kind: 'list',
          initial: cors.allowed_origins,
          fault: 'cors.allowed_origins',
        },
        {
          key: 'days',
          label: 'Delete objects after, in days',
          about: 'After they were last written; 0: never',
          kind: 'number',
          min: 0,
          max: 36_500,
          initial: lifecycle.expiration_days,
          fault: 'lifecycle.expiration_days',
        },
      ],
      body: (values) => ({
        policy: { is_public: values.is_public === true },
        cors: { allowed_origins: [...list(values, 'origins')] },
        lifecycle: { expiration_days: number(values, 'days') ?? 0 },
      }),
      request: (body) =>
        apiCall('patch', `${BUCKETS}/{name}`, { params: { path: { storage_id: storage.id, name } }, body }),
    }),
  });
