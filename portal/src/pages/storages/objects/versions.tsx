import { Modal, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../../api/may.ts';
import { bytes } from '../../../ui/bytes.ts';
import { unreadNote } from '../../../ui/fault.tsx';
import { refused } from '../../../ui/follow-task.tsx';
import { Empty } from '../../../ui/page.tsx';
import type { RowAction } from '../../../ui/row-menu.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import {
  type BucketOf,
  download,
  keepsVersions,
  keepVersions,
  listVersions,
  removeObject,
  signing,
  type Version,
} from './s3.ts';

/** Whether the bucket keeps what is overwritten or deleted. */
export function VersionsSwitch({ of }: { readonly of: BucketOf }) {
  const kept = useQuery({
    queryKey: ['versioning', of.storage, of.bucket],
    queryFn: () => keepsVersions(of),
    refetchInterval: false,
  });
  const lack = useMay()(() => signing(of, { method: 'PUT' }));
  const change = (isOn: boolean) =>
    keepVersions(of, isOn).then(
      () => kept.refetch(),
      (error) => refused('Keep versions', error),
    );
  return (
    <Switch
      size="xs"
      label="Keep versions"
      checked={kept.data ?? false}
      disabled={kept.data === undefined || lack !== undefined}
      onChange={({ currentTarget }) => void change(currentTarget.checked)}
    />
  );
}

const COLUMNS: readonly Column<Version>[] = [
  { label: 'Written', cell: ({ modified }) => <Time at={modified} /> },
  {
    label: 'What',
    cell: ({ isLatest, isDeletion }) => (isDeletion ? 'deleted' : isLatest ? 'the newest' : 'older'),
  },
  { label: 'Size', cell: ({ size, isDeletion }) => (isDeletion ? '' : bytes(size)), end: true },
];

interface VersionsDialogProps {
  readonly of: BucketOf;
  readonly objectKey: string;
  readonly changed: () => void;
  readonly close: () => void;
}

/** All versions of one object: an older one is downloaded, and one that goes is gone for good. Deleting that it was
 *  deleted brings an object back. */
export function VersionsDialog({ of, objectKey: key, changed, close }: VersionsDialogProps) {
  const versions = useQuery({
    queryKey: ['objects', of.storage, of.bucket, 'versions of', key],
    queryFn: () => listVersions(of, key),
    refetchInterval: false,
  });
  const name = key.split('/').at(-1) ?? key;
  const call = () => signing(of, { method: 'GET' });
  const actions: readonly RowAction<Version>[] = [
    {
      label: 'Download',
      run: ({ version }) =>
        void download(of, key, version).catch((error) => refused(`Download ${name}`, error)),
      call,
      disabled: ({ isDeletion }) => (isDeletion ? 'There is nothing to download' : undefined),
    },
    {
      label: 'Delete this version',
      danger: true,
      run: ({ version }) =>
        void removeObject(of, key, version).then(changed, (error) => refused(`Delete ${name}`, error)),
      call,
    },
  ];
  return (
    <Modal opened onClose={close} title={`Versions of ${name}`} size="lg">
      {unreadNote(versions) ??
        (versions.data?.length === 0 ? (
          <Empty title="No versions" about="The object is gone." />
        ) : (
          <Table
            title={`Versions of ${name}`}
            rows={versions.data ?? []}
            loading={versions.isPending}
            columns={COLUMNS}
            rowKey={({ version }) => version}
            actions={actions}
          />
        ))}
    </Modal>
  );
}
