import { isUuid } from '../../../kernel/ids.ts';
import { statesBefore } from '../../../kernel/transitions.ts';
import { type NameFilter, named } from '../../../platform/database/contains.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { type Hold, heldTable } from '../../../platform/database/held-table.ts';
import { inScope, listPage, type Page, type Paging } from '../../../platform/database/list-page.ts';
import { columnsOfNew, insertionOf } from '../../../platform/database/new-rows.ts';
import { listOf } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import { usageEnded } from '../../../platform/usage/usage-sql.ts';
import type { Scope, VolumeRow } from '../model.ts';
import { COLUMNS, SNAPSHOT_TRANSITIONS, type SnapshotRow } from './model.ts';

const SHOWN = listOf(COLUMNS, 's');

/** Snapshots of a project, which tasks hold. */
export const {
  read: readSnapshot,
  lockFree: lockFreeSnapshot,
  keep: keepSnapshots,
  readHeld,
  readAllHeld,
} = heldTable<SnapshotRow>('volume_snapshots', 'Snapshot', {
  columns: SHOWN,
  alias: 's',
  order: 's.created_at, s.id',
});

export interface NewSnapshot {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly tags: StoredTags;
  readonly taskId: string;
  readonly timestamp: string;
  /** Of the lifecycle policy that makes it; null: somebody asks for it. */
  readonly scheduleId: string | null;
  /** When it is deleted; null: by hand alone. */
  readonly expiresAt: Date | null;
}

export async function insertSnapshot(tx: Tx, of: VolumeRow, snapshot: NewSnapshot): Promise<void> {
  const columns = {
    volume_id: of.id,
    name: snapshot.name,
    description: snapshot.description,
    status: 'creating',
    size: of.size,
    volume_type: of.type,
    bootable: of.bootable,
    image_metadata: of.image_metadata === null ? null : JSON.stringify(of.image_metadata),
    tags: JSON.stringify(snapshot.tags),
    schedule_id: snapshot.scheduleId,
    expires_at: snapshot.expiresAt,
    ...columnsOfNew({
      projectId: of.project_id,
      regionId: of.region_id,
      clientId: of.client_id,
      ...snapshot,
    }),
  };
  await tx.run(insertionOf('volume_snapshots', columns));
}

/** The snapshots of volumes, oldest first, locked. Lock the volumes first. */
export async function lockSnapshotsOf(tx: Tx, volumeIds: readonly string[]): Promise<SnapshotRow[]> {
  return tx.rows<SnapshotRow>(
    sql`select ${SHOWN} from volume_snapshots s where volume_id = any(${volumeIds}::uuid[]) order by created_at, id for update`,
  );
}

/** Id of a volume that is being filled from the snapshot, or reverted to it. Lock the snapshot first. */
export async function filledFromSnapshot(tx: Tx, id: string): Promise<string | undefined> {
  const [row] = await tx.rows<{
    id: string;
  }>(sql`select id from volumes where snapshot_id = ${id} and status = 'downloading'
     union all
     select v.id from volume_snapshots s join volumes v on v.id = s.volume_id
      where s.id = ${id} and v.status = 'reverting' limit 1`);
  return row?.id;
}

/** Gives the lock to the task that deletes it. */
export async function holdForDeletion(tx: Tx, id: string, taskId: string): Promise<void> {
  await tx.run(sql`update volume_snapshots set task_id = ${taskId}, status = 'deleting' where id = ${id}`);
}

/** Ends a task's hold. */
export async function settleSnapshots(
  tx: Tx,
  { taskId, timestamp }: Omit<Hold, 'id'>,
  status: SnapshotRow['status'],
): Promise<void> {
  await tx.run(sql`update volume_snapshots set task_id = null, status = ${status}, status_reason = null, updated_at = ${timestamp}
      where task_id = ${taskId} and status = any(${statesBefore(SNAPSHOT_TRANSITIONS, status)}::text[])`);
}

/** Removes the snapshots that a task holds.
 *  @returns what they were */
export async function deleteHeld(tx: Tx, taskId: string): Promise<SnapshotRow[]> {
  return tx.rows<SnapshotRow>(sql`
    with gone as (delete from volume_snapshots where task_id = ${taskId} returning *),
         ${usageEnded('volume_snapshots', sql`gone`)}
    select ${SHOWN} from gone s`);
}

export interface ListWhere extends Scope, Pick<NameFilter, 'namePart'>, Paging {
  readonly volumeId: string | undefined;
  readonly instanceId: string | undefined;
  readonly scheduleId: string | undefined;
  readonly policyId: number | undefined;
}

/** The page, newest first, and how many match in all. */
export function listSnapshots(db: Db, where: ListWhere): Promise<Page<SnapshotRow>> {
  const { namePart, volumeId, instanceId, scheduleId, policyId } = where;
  const ofInstance = sql`volume_id in (select id from volumes where instance_id = ${instanceId}::uuid)`;
  const ofPolicy = sql`schedule_id in (select id from lifecycle_schedules where policy_id = ${policyId}::int)`;
  return listPage<SnapshotRow>(db, {
    table: 'volume_snapshots',
    alias: 's',
    columns: SHOWN,
    where: [
      inScope(where),
      ...named({ namePart }),
      ...(volumeId === undefined ? [] : [sql`volume_id = ${volumeId}::uuid`]),
      ...(instanceId === undefined ? [] : [ofInstance]),
      ...(scheduleId === undefined
        ? []
        : [isUuid(scheduleId) ? sql`schedule_id = ${scheduleId}::uuid` : sql`false`]),
      ...(policyId === undefined ? [] : [ofPolicy]),
    ],
    order: 'created_at desc, id desc',
    limit: where.limit,
    offset: where.offset,
  });
}
