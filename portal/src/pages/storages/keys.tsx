import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { CopyText } from '../../ui/copy.tsx';
import { useDelete } from '../../ui/delete-action.tsx';
import { Parts } from '../../ui/parts.tsx';
import { useRowForm } from '../../ui/row-form.tsx';
import { type Secret, ShownOnce } from '../../ui/shown-once.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { type Storage, whyFixed } from './verbs.tsx';

const KEYS = '/storage/v4/object_storages/{storage_id}/access_keys';

type Key = Schemas['StorageAccessKey'];

/** Both halves of a key, as they are shown once. */
export const secretsOf = (key: { access_key: string; secret_key: string }): readonly Secret[] => [
  { label: 'Access key', value: key.access_key },
  { label: 'Secret key', value: key.secret_key },
];

const COLUMNS: readonly Column<Key>[] = [
  { label: 'Access key', cell: ({ access_key: key }) => <CopyText value={key} label="Copy access key" /> },
  { label: 'May', cell: ({ read_only: only }) => (only ? 'list and read' : 'read and write') },
  { label: 'Created', cell: ({ created_at: created }) => <Time at={created} /> },
];

/** The keys that open a storage. */
export function AccessKeys({ storage }: { readonly storage: Storage }) {
  const path = { storage_id: storage.id };
  const [made, setMade] = useState<Schemas['NewStorageAccessKey']>();
  const keys = useQuery(api.queryOptions('get', KEYS, { params: { path, query: { limit: 1000 } } }));
  const create = useRowForm<Storage, Schemas['CreateStorageAccessKey']>({
    label: 'Create key',
    disabled: whyFixed,
    form: () => ({
      title: 'Create key',
      fields: [
        {
          key: 'read_only',
          label: 'It may only list and read',
          about: 'Such a key lists and reads objects. It does not list buckets.',
          kind: 'switch',
        },
      ],
      body: (values) => ({ read_only: values.read_only === true }),
      request: (body) => apiCall('post', KEYS, { params: { path }, body }),
      done: (data) => setMade(data as Schemas['NewStorageAccessKey']),
    }),
  });
  const remove = useDelete<Key>({
    kind: 'key',
    consequences: () => 'It opens nothing any more. Programs that use it are refused from now on.',
    disabled: () => whyFixed(storage),
    call: ({ access_key: key }) =>
      apiCall('delete', `${KEYS}/{access_key}`, { params: { path: { ...path, access_key: key } } }),
  });
  return (
    <Parts
      title="Access keys"
      of={storage}
      query={keys}
      columns={COLUMNS}
      create={create}
      verbs={[remove]}
      empty={{
        title: 'No keys',
        about: 'Without a key nobody writes to it. Create one for each program.',
      }}
    >
      <ShownOnce
        title="The new key"
        about="Keep it where your program reads its secrets."
        secrets={made && secretsOf(made)}
        close={() => setMade(undefined)}
      />
    </Parts>
  );
}
