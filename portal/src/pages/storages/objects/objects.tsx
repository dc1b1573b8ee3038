import { Button, Group } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { bytes } from '../../../ui/bytes.ts';
import { ConfirmDelete } from '../../../ui/confirm-delete.tsx';
import { unreadNote } from '../../../ui/fault.tsx';
import { refused } from '../../../ui/follow-task.tsx';
import { Card, Empty } from '../../../ui/page.tsx';
import { Link } from '../../../ui/routing.tsx';
import type { RowAction } from '../../../ui/row-menu.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { VerbButton } from '../../../ui/verb-button.tsx';
import { LinkDialog } from './link-dialog.tsx';
import styles from './objects.module.css';
import { Preview } from './preview.tsx';
import { type BucketOf, download, listFolder, removeObject, signing } from './s3.ts';
import { Uploads, useUploads } from './uploads.tsx';
import { VersionsDialog, VersionsSwitch } from './versions.tsx';

/** A folder or an object, as a row. */
interface Row {
  readonly key: string;
  readonly name: string;
  /** Absent: it is a folder. */
  readonly size?: number;
  readonly modified?: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Size', cell: ({ size }) => (size === undefined ? 'folder' : bytes(size)), end: true },
  { label: 'Changed', cell: ({ modified }) => (modified ? <Time at={modified} /> : '') },
];
const FOLDER = 'A folder has only what is in it';

/** What is in a bucket, folder by folder. The folder is in the address. */
export function Objects({ of, prefix }: { readonly of: BucketOf; readonly prefix: string }) {
  const queries = useQueryClient();
  const queryKey = ['objects', of.storage, of.bucket, prefix];
  const changed = () => void queries.invalidateQueries({ queryKey: queryKey.slice(0, 3) });
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => listFolder(of, prefix, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: false,
  });
  const uploads = useUploads(of, changed);
  const [doomed, setDoomed] = useState<Row>();
  const [previewed, setPreviewed] = useState<Row>();
  const [linked, setLinked] = useState<Row>();
  const [versioned, setVersioned] = useState<Row>();
  const rows = (list.data?.pages ?? []).flatMap(({ folders, objects }) => [
    ...folders.map((key): Row => ({ key, name: key.slice(prefix.length) })),
    ...objects.map((one): Row => ({ name: one.key.slice(prefix.length), ...one })),
  ]);
  const ofObject = (label: string, run: (row: Row) => void, danger = false): RowAction<Row> => ({
    label,
    run,
    danger,
    call: () => signing(of, { method: 'GET' }),
    disabled: ({ size }) => (size === undefined ? FOLDER : undefined),
  });
  const unread = unreadNote(list);
  return (
    <Card
      title={<Path of={of} prefix={prefix} />}
      aside={
        <Group gap="xs">
          <VersionsSwitch of={of} />
          <UploadButton of={of} add={(files) => uploads.add(files, prefix)} />
        </Group>
      }
    >
      <Uploads uploads={uploads} />
      {unread ? (
        <div className={styles.note}>{unread}</div>
      ) : list.data && rows.length === 0 ? (
        <Empty title="Nothing is here" about="Upload files, or write to the bucket with an S3 client." />
      ) : (
        <Table
          title={`Objects of ${of.bucket}`}
          rows={rows}
          columns={COLUMNS}
          loading={list.isPending}
          rowKey={({ key }) => key}
          href={({ key, size }) => (size === undefined ? hrefOf(of, key) : undefined)}
          actions={[
            ofObject('Preview', setPreviewed),
            ofObject(
              'Download',
              ({ key }) => void download(of, key).catch((error) => refused('Download', error)),
            ),
            ofObject('Share a link…', setLinked),
            ofObject('Versions…', setVersioned),
            ofObject('Delete…', setDoomed, true),
          ]}
        />
      )}
      {list.hasNextPage && (
        <div className={styles.note}>
          <Button
            size="xs"
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </Button>
        </div>
      )}
      <ConfirmDelete
        name={doomed?.name}
        kind="object"
        askName={false}
        consequences="Where the bucket keeps versions, its older ones stay. Elsewhere nothing brings it back."
        close={() => setDoomed(undefined)}
        confirm={() =>
          doomed &&
          void removeObject(of, doomed.key).then(changed, (error) => refused(`Delete ${doomed.name}`, error))
        }
      />
      {previewed && <Preview of={of} object={previewed} close={() => setPreviewed(undefined)} />}
      {linked && <LinkDialog of={of} objectKey={linked.key} close={() => setLinked(undefined)} />}
      {versioned && (
        <VersionsDialog
          of={of}
          objectKey={versioned.key}
          changed={changed}
          close={() => setVersioned(undefined)}
        />
      )}
    </Card>
  );
}

function hrefOf({ bucket }: BucketOf, prefix: string): string {
  return `${location.pathname}?${new URLSearchParams({ tab: 'buckets', bucket, prefix })}`;
}

/** The bucket and the folders to where one is, each to go back to. */
function Path({ of, prefix }: { readonly of: BucketOf; readonly prefix: string }) {
  const folders = prefix.split('/').filter((name) => name !== '');
  return (
    <span className={styles.path}>
      <Link className="link" to={`${location.pathname}?tab=buckets`}>
        Buckets
      </Link>
      <span aria-hidden="true">/</span>
      <Link className="link" to={hrefOf(of, '')}>
        {of.bucket}
      </Link>
      {folders.map((name, i) => {
        const to = `${folders.slice(0, i + 1).join('/')}/`;
        return (
          <span key={to} className={styles.path}>
            <span aria-hidden="true">/</span>
            <Link className="link" to={hrefOf(of, to)}>
              {name}
            </Link>
          </span>
        );
      })}
    </span>
  );
}

interface UploadButtonProps {
  readonly of: BucketOf;
  readonly add: (files: readonly File[]) => void;
}

function UploadButton({ of, add }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <VerbButton
        size="xs"
        call={() => signing(of, { method: 'PUT' })}
        onClick={() => input.current?.click()}
      >
        Upload files
      </VerbButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </>
  );
}
