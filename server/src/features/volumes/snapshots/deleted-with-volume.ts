import { Conflict, Invalid } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { requireFree } from '../../../platform/database/held-table.ts';
import type { VolumeRow } from '../model.ts';
import type { SnapshotRow } from './model.ts';
import * as store from './store.ts';

/** The snapshots that go with a volume, which is locked.
 *  @param list their ids, with commas between; the one that the volume came from may be among them, and stays
 *  @throws Invalid for snapshots that the volume does not have, Conflict when it has others, or one is being copied,
 *  Locked when a task holds one */
export async function lockDeletedWithVolume(
  tx: Tx,
  { id: volumeId, snapshot_id: origin }: Pick<VolumeRow, 'id' | 'snapshot_id'>,
  list: string,
): Promise<readonly SnapshotRow[]> {
  const named = new Set(list.split(',').flatMap((text) => text.trim().toLowerCase() || []));
  const snapshots = await store.lockSnapshotsOf(tx, [volumeId]);
  const known = new Set([origin, ...snapshots.map(({ id }) => id)]);
  const foreign = [...named].filter((id) => !known.has(id));
  if (foreign.length > 0) {
    throw new Invalid(
      { snapshots: foreign.map((id) => `volume ${volumeId} has no snapshot ${id}`) },
      'query',
    );
  }
  refuseSnapshots(snapshots.filter(({ id }) => !named.has(id)));
  for (const snapshot of snapshots) {
    requireFree('Snapshot', snapshot);
    await refuseCopied(tx, snapshot.id);
  }
  return snapshots;
}

/** @throws Conflict naming snapshots without which their volume cannot go */
export function refuseSnapshots(snapshots: readonly SnapshotRow[]): void {
  const [first] = snapshots;
  if (!first) return;
  const { volume_id: volume } = first;
  const ids = snapshots.flatMap((snapshot) => (snapshot.volume_id === volume ? [snapshot.id] : []));
  throw new Conflict(`Volume ${volume} has snapshots ${ids.join(', ')}; delete them first`);
}

/** @throws Conflict when a volume is being filled from the snapshot, which is locked */
export async function refuseCopied(tx: Tx, id: string): Promise<void> {
  const volume = await store.filledFromSnapshot(tx, id);
  if (volume === undefined) return;
  throw new Conflict(`Snapshot ${id} is being copied to volume ${volume}`, { retryAfterMs: 1000 });
}
