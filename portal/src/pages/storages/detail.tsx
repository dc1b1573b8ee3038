import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { api, apiCall, faultOf } from '../../api/client.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { bytes } from '../../ui/bytes.ts';
import { CodePanel } from '../../ui/code-panel.tsx';
import { Copy, CopyText } from '../../ui/copy.tsx';
import { Detail, useDetailScope } from '../../ui/detail.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { NotServed } from '../../ui/not-served.tsx';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { Buckets } from './buckets.tsx';
import styles from './connect.module.css';
import { AccessKeys } from './keys.tsx';
import { useOpenBucket } from './objects/open-bucket.ts';
import { removal, type Storage, useStorageUsage } from './verbs.tsx';

const STORAGE = '/storage/v4/object_storages/{storage_id}';

const Objects = lazy(() => import('./objects/objects.tsx').then(({ Objects: one }) => ({ default: one })));
const StorageUsage = lazy(() => import('./usage.tsx').then(({ StorageUsage: one }) => ({ default: one })));

/** One storage: where it is, what is in it, who may open it, and what it used. */
export function StorageDetail() {
  const { id, back } = useDetailScope('storages', 'Object storage');
  const storage = useQuery(
    api.queryOptions('get', STORAGE, { params: { path: { storage_id: Number(id) } } }),
  );
  return (
    <Detail<Storage>
      kind="Storage"
      back={back}
      query={storage}
      badge={({ provisioning_status: status }) => <StatusBadge status={status} />}
      remove={removal}
      facts={(one) => [
        {
          label: 'Address',
          value: one.address ? <CopyText value={one.address} label="Copy address" /> : 'none yet',
        },
        { label: 'Location', value: one.location_name },
        { label: 'Used', value: <Used storage={one.name} /> },
        { label: 'Created', value: <Time at={one.created_at} /> },
      ]}
      tabs={(one) => [
        { key: 'buckets', label: 'Buckets', body: <BucketsOrObjects storage={one} /> },
        { key: 'keys', label: 'Access keys', body: <AccessKeys storage={one} /> },
        {
          key: 'usage',
          label: 'Usage',
          body: (
            <Suspense>
              <StorageUsage storage={one.name} />
            </Suspense>
          ),
        },
        { key: 'connect', label: 'Connect', body: <Connect storage={one} /> },
      ]}
    >
      {({ name }) => <NotServed kind="object_storage" name={name} />}
    </Detail>
  );
}

/** The buckets, or what is in the one that the address names. */
function BucketsOrObjects({ storage }: { readonly storage: Storage }) {
  const open = useOpenBucket(storage.id);
  if (!open) return <Buckets storage={storage} />;
  return (
    <Suspense>
      <Objects {...open} />
    </Suspense>
  );
}

function Used({ storage }: { readonly storage: string }) {
  return useStorageUsage(storage).say((rows) => {
    const sum = (of: 'used_space' | 'files_quantity') => rows.reduce((all, row) => all + row[of], 0);
    return `${bytes(sum('used_space'))} in ${sum('files_quantity').toLocaleString()} objects`;
  });
}

/** By what clients know the server. */
function Authority({ id, name }: { readonly id: number; readonly name: string }) {
  const { data, error, refetch } = useQuery(
    api.queryOptions('get', '/virga/v1/object_storages/{storage_id}/ca_certificate', {
      params: { path: { storage_id: id } },
    }),
  );
  const pem = data?.ca_certificate;
  return (
    <div style={{ padding: '0 16px 14px' }}>
      {error && pem === undefined ? (
        <FaultNote fault={faultOf(error)} retry={() => void refetch()} />
      ) : (
        <Button
          component="a"
          variant="default"
          size="xs"
          loading={pem === undefined}
          download={`${name}-ca.pem`}
          href={`data:application/x-pem-file,${encodeURIComponent(pem ?? '')}`}
        >
          Download certificate
        </Button>
      )}
    </div>
  );
}

/** How S3 clients get in, and how the API describes it. */
function Connect({ storage: { id, name, address } }: { readonly storage: Storage }) {
  const isSecured = address.startsWith('https:');
  const lines = [
    ...(isSecured ? [`export AWS_CA_BUNDLE=${name}-ca.pem`] : []),
    'export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… AWS_DEFAULT_REGION=us-east-1',
    `aws --endpoint-url ${address || 'ADDRESS'} s3 mb s3://photos`,
    `aws --endpoint-url ${address || 'ADDRESS'} s3 cp cat.jpg s3://photos/`,
  ].join('\n');
  return (
    <>
      <Card title="With an S3 client" aside={<Copy value={lines} label="Copy code" />}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre className={styles.lines} tabIndex={0}>
          {lines}
        </pre>
        {isSecured && <Authority id={id} name={name} />}
      </Card>
      <CodePanel call={apiCall('get', STORAGE, { params: { path: { storage_id: id } } })} />
    </>
  );
}
