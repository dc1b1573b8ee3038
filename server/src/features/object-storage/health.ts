import { noteChange } from '../../platform/changes/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import type { UnservedStorage } from './port.ts';
import type { AnyStorageRow, StorageTable } from './storage-table.ts';

/** Writes whether a storage serves, and notifies who follows the account when that is news.
 *  @param noun as the audit log names it
 *  @returns what was seen of it, if it does */
export async function noteServing<Row extends AnyStorageRow, Seen extends object>(
  db: Db,
  { storages, noun }: { readonly storages: Pick<StorageTable<Row>, 'setReason'>; readonly noun: string },
  row: Row,
  observed: Seen | UnservedStorage,
): Promise<Seen | undefined> {
  const reason = isUnserved(observed) ? observed.fault : null;
  if (row.status_reason !== reason && (await storages.setReason(db, row.id, reason))) {
    const { client_id: clientId, region_id: regionId } = row;
    const what = { action: 'health', noun, id: String(row.id) };
    noteChange(db, { clientId, projectId: null, regionId, ...what });
  }
  return isUnserved(observed) ? undefined : observed;
}

const isUnserved = (observed: object): observed is UnservedStorage => 'fault' in observed;

/** Ends those that serve nobody, since their clients are suspended: that is no fault of theirs. */
export async function endPaused<Row extends AnyStorageRow>(
  db: Db,
  storages: Pick<StorageTable<Row>, 'pausedIds' | 'setReason'>,
  regionId: number,
  pause: (id: string) => Promise<void> | undefined,
): Promise<void> {
  for (const id of await storages.pausedIds(db, regionId)) {
    await pause(id);
    await storages.setReason(db, Number(id), null);
  }
}
