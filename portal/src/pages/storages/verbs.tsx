import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import type { DeleteOptions } from '../../ui/delete-action.tsx';
import { rowCall } from '../../ui/row-call.ts';

const STORAGE = '/storage/v4/object_storages/{storage_id}';

export type Storage = Schemas['ObjectStorage'];

export type Usage = Schemas['StorageUsage'];

export interface StorageUsage {
  /** Absent until it is known. */
  readonly rows: readonly Usage[] | undefined;
  /** Says what of a row. Until it is known, or when it could not be read, says that. */
  readonly say: (words: (rows: readonly Usage[]) => string) => string;
}

/** What is used of each bucket now: of one storage, or of all. */
export function useStorageUsage(storage?: string): StorageUsage {
  const { data, error } = useQuery(
    api.queryOptions('get', '/virga/v1/storage_usage', { params: { query: { limit: 1000 } } }),
  );
  const rows = data?.results.filter((row) => storage === undefined || row.storage_name === storage);
  return { rows, say: (words) => (rows ? words(rows) : error ? 'could not be read' : '…') };
}

/** Why nothing of a storage can be changed now. */
export const whyFixed = ({ provisioning_status: status }: Storage): string | undefined =>
  status === 'active'
    ? undefined
    : status === 'deleted'
      ? 'It is deleted; restore it first'
      : `It is ${status}; wait until that is done`;

/** The question before a storage is deleted, and what it says. */
export const removal: DeleteOptions<Storage> = {
  kind: 'storage',
  consequences: () =>
    'It stops answering at once, and releases its address. For seven days it can be restored, with its keys, buckets and objects.',
  askName: () => true,
  disabled: whyFixed,
  call: ({ id }) => apiCall('delete', STORAGE, { params: { path: { storage_id: id } } }),
};

/** Brings a deleted storage back. */
export const restore = rowCall<Storage>({
  label: 'Restore',
  title: ({ name }) => `Restore ${name}`,
  disabled: ({ provisioning_status: status }) => (status === 'deleted' ? undefined : 'It is not deleted'),
  call: ({ id }) => apiCall('post', `${STORAGE}/restore`, { params: { path: { storage_id: id } } }),
});
