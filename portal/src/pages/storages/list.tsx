import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { storageLocations } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { regionsQuery } from '../../app/home.ts';
import { useScope } from '../../app/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { bytes } from '../../ui/bytes.ts';
import type { Field } from '../../ui/field-input.tsx';
import { choiceField, textField } from '../../ui/fields.ts';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, useListSearch } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Time } from '../../ui/time.tsx';
import { given, texts } from '../../ui/values.ts';
import { secretsOf } from './keys.tsx';
import { removal, restore, type Storage, type StorageUsage, type Usage, useStorageUsage } from './verbs.tsx';

const STORAGES = '/storage/v4/object_storages';
const CREATE = `curl -X POST ${location.origin}${STORAGES} -H "Authorization: APIKey $API_TOKEN" -H 'Content-Type: application/json' -d '{"location_name": "local", "name": "media"}'`;
const STATES = ['creating', 'active', 'updating', 'deleting', 'deleted'] as const;

const columnsOf = ({ say }: StorageUsage): readonly Column<Storage>[] => [
  { label: 'Name', cell: ({ name }) => name, order: 'name' },
  {
    label: 'Status',
    cell: ({ provisioning_status: status }) => <StatusBadge status={status} />,
    order: 'provisioning_status',
  },
  { label: 'Location', cell: ({ location_name: scope }) => scope, order: 'location_name' },
  { label: 'Address', cell: ({ address }) => (address ? <code>{address}</code> : 'none') },
  { label: 'Space', cell: ({ name }) => say((rows) => bytes(spaceOf(rows, name))), end: true },
  { label: 'Created', cell: ({ created_at: created }) => <Time at={created} />, order: 'created_at' },
];

const spaceOf = (rows: readonly Usage[], name: string) =>
  rows.filter((row) => row.storage_name === name).reduce((sum, row) => sum + row.used_space, 0);

/** Where a storage is made: in the region that is looked at, and nowhere else unless somebody chooses that. */
function useLocationField(): Field {
  const { region } = useScope();
  const here = useQuery(regionsQuery()).data?.results.find(({ id }) => id === region);
  const choices = storageLocations(here?.slug);
  const { data } = useQuery({ queryKey: ['choices', choices.key, ''], queryFn: () => choices.load('') });
  const isOffered = data?.some(({ value }) => value === here?.slug) ?? false;
  const about =
    data && here && !isOffered
      ? `The region ${here.display_name} has no object storage at present. Choose another location, or ask whoever runs the cloud to install it: npm run engines -- install s3.`
      : 'Where its files are kept. It belongs to the account, not to a project.';
  return choiceField('location_name', 'Location', choices, { first: isOffered, about });
}

/** The storages of the account, which belong to no project. */
export function Storages() {
  const scope = useScope();
  const { page, search } = useListSearch();
  const [made, setMade] = useState<Schemas['NewObjectStorage']>();
  const state = STATES.find((one) => one === search.status);
  const result = useQuery(
    api.queryOptions('get', STORAGES, {
      params: {
        query: {
          ...page,
          ...given({ order_by: search.order_by, name__contains: search.name }),
          ...(state ? { provisioning_status: state, show_deleted: state === 'deleted' } : {}),
        },
      },
    }),
  );
  const usage = useStorageUsage();
  const location = useLocationField();
  return (
    <>
      <NounPage<Storage, Schemas['CreateObjectStorage']>
        title="Object storage"
        about="Buckets of files that any S3 client reads and writes. A storage belongs to the account, in one location."
        filters={[
          textFilter('name', 'Name'),
          choiceFilter(
            'status',
            'Status',
            STATES.map((value) => ({ value, label: value })),
          ),
        ]}
        defaultOrder="created_at.desc"
        result={result}
        columns={columnsOf(usage)}
        href={({ id, provisioning_status: status }) =>
          status === 'deleted' ? undefined : pathIn(scope, 'storages', String(id))
        }
        actions={[restore]}
        remove={removal}
        empty={{
          title: 'No storages',
          about:
            'Create one for what your programs keep: films, backups, uploads. Its first key comes with it.',
          code: CREATE,
        }}
        form={{
          title: 'Create storage',
          fields: [textField('name', 'Name', { about: 'Lowercase letters, digits and “-”' }), location],
          body: (values) => texts(values, 'location_name', 'name'),
          request: (body) => apiCall('post', STORAGES, { body }),
          done: (data) => setMade(data as Schemas['NewObjectStorage']),
        }}
      />
      <ShownOnce
        title={`The first key of ${made?.name ?? ''}`}
        about="Keep it where your program reads its secrets. More keys can be made at any time."
        secrets={
          made &&
          [
            { label: 'Address', value: made.address },
            ...made.access_keys.flatMap((key) => secretsOf(key)),
          ].filter(({ value }) => value !== '')
        }
        close={() => setMade(undefined)}
      />
    </>
  );
}
