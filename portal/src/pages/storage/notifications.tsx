import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { storageNames } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { UsageBar } from '../../pictures/usage-bar.tsx';
import { bytes } from '../../ui/bytes.ts';
import { numberField, optionField, textField } from '../../ui/fields.ts';
import type { Column } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { Card } from '../../ui/page.tsx';
import { type ListQuery, Rows } from '../../ui/rows.tsx';
import { given, text, type Values } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { number } from '../../ui/values.ts';
import { amount, KINDS, type Kind, type Threshold, thresholdsOf, type Usage } from './kinds.ts';

const EVENT = '/storage/notifications/v1/event';

type Body = Schemas['StorageNotificationEventInput'];

/** @param isUsedKnown until then nothing may be said to be used */
const columnsOf = (isUsedKnown: boolean): readonly Column<Threshold>[] => [
  {
    label: 'Of',
    cell: ({ storage, bucket }) => (bucket ? `${storage} / ${bucket}` : `${storage}, all of it`),
  },
  { label: 'What', cell: ({ kind }) => kind.label },
  {
    label: 'Used',
    cell: (one) => (
      <UsageBar
        label={`${one.kind.label} of ${one.storage}`}
        used={one.used}
        at={one.at}
        notified={one.notified}
        words={`${isUsedKnown ? amount(one.kind, one.used) : 'Unknown'} of ${amount(one.kind, one.at)}`}
      />
    ),
  },
];

const USAGE_COLUMNS: readonly Column<Usage>[] = [
  { label: 'Bucket', cell: ({ storage_name, bucket_name }) => `${storage_name} / ${bucket_name}` },
  { label: 'Space', cell: ({ used_space }) => bytes(used_space), end: true },
  { label: 'Files', cell: ({ files_quantity }) => files_quantity.toLocaleString(), end: true },
  { label: 'Traffic this month', cell: ({ used_traffic }) => bytes(used_traffic), end: true },
  { label: 'Requests this month', cell: ({ used_requests }) => used_requests.toLocaleString(), end: true },
  { label: 'Reported', cell: ({ reported_at }) => <Time at={reported_at} /> },
];

/** Thresholds of storages, drawn against what is used, and what was notified. */
export function StorageNotifications() {
  // A storage's own page leads here with its name.
  const { storage = '' } = useSearch({ strict: false }) as { storage?: string };
  const events = useQuery(api.queryOptions('get', `${EVENT}s`));
  const usage = useQuery(
    api.queryOptions('get', '/virga/v1/storage_usage', { params: { query: { limit: 1000 } } }),
  );
  const used = usage.data?.results ?? [];
  const thresholds = events.data && thresholdsOf(events.data, used);
  return (
    <>
      <NounPage<Threshold, Body>
        title="Storage notifications"
        about="You are notified by mail and webhook when a storage, or one of its buckets, reaches a threshold."
        result={{
          ...events,
          data: thresholds && { count: thresholds.length, results: thresholds },
        }}
        columns={columnsOf(usage.data !== undefined)}
        remove={{
          kind: 'threshold',
          nameOf: ({ kind, storage, bucket }) => `${kind.label} of ${bucket || storage}`,
          consequences: () => 'Nobody is notified any more when it is reached.',
          call: ({ uuid, kind }) => apiCall('delete', EVENT, { body: { uuid, name: kind.name } }),
        }}
        empty={{ title: 'No thresholds', about: 'Set one, and you hear of it before the storage is full.' }}
        form={{
          title: 'Set threshold',
          fields: [
            optionField(
              'name',
              'What',
              KINDS.map(({ name, label }) => ({ value: name, label })),
              { initial: 'reaching_used_space' },
            ),
            textField('storage_name', 'Storage', { initial: storage, choices: storageNames }),
            {
              key: 'bucket_name',
              label: 'Bucket',
              about: 'Empty: the whole storage',
              kind: 'text',
              options: used.map(({ bucket_name }) => ({ value: bucket_name, label: bucket_name })),
            },
            numberField('gigabytes', 'Threshold in GiB', {
              min: 0,
              initial: 100,
              fault: 'bytes',
              when: (values) => kindOf(values).unit === 'bytes',
            }),
            numberField('count', 'Threshold', {
              min: 1,
              initial: 1_000_000,
              when: (values) => kindOf(values).unit === 'count',
            }),
          ],
          body: (values) => ({
            name: kindOf(values).name,
            storage_name: text(values, 'storage_name'),
            ...given({ bucket_name: text(values, 'bucket_name') }),
            ...(kindOf(values).unit === 'bytes'
              ? { bytes: Math.round((number(values, 'gigabytes') ?? 0) * 1024 ** 3) }
              : given({ count: number(values, 'count') })),
          }),
          request: (body) => apiCall('post', EVENT, { body }),
        }}
      />
      {/* Thresholds that come stand above it, and nobody knows how many. */}
      {!events.isPending && <Used usage={usage} />}
    </>
  );
}

function Used({ usage }: { readonly usage: ListQuery<Usage> }) {
  return (
    <Card title="What is used">
      <Rows
        title="What is used"
        query={usage}
        columns={USAGE_COLUMNS}
        rowKey={({ storage_name, bucket_name }) => `${storage_name} ${bucket_name}`}
        empty={{
          title: 'Nothing has been reported',
          about: 'Storage engines, and the edge that delivers video, report what is used.',
        }}
      />
    </Card>
  );
}

const kindOf = ({ name }: Values): Kind => KINDS.find((kind) => kind.name === name) ?? KINDS[0];
