import { Conflict, Invalid, Locked, NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { startTask, type TaskRef } from '../../platform/tasks/start.ts';
import type { Locations } from './locations.ts';
import type { StorageRow } from './model.ts';
import type { ObjectStorageProvider } from './port.ts';
import * as store from './store.ts';

export interface ObjectStorageService {
  readonly cipher: Cipher;
  readonly locations: Locations;
  /** Where SFTP storages can be made. */
  readonly sftpLocations: Locations;
  /** Waits for the task of a call that answers without it. */
  readonly tasks: { settled(ctx: RequestContext, task: TaskRef, failure: string): Promise<void> };
  providerOf(regionId: number): ObjectStorageProvider | undefined;
}

const missing = (id: number) => new NotFound(`Storage ${id} was not found`);

/** The storage as it is, which may be deleted. @throws NotFound */
export async function getAnyStorage(db: Queryable, ctx: RequestContext, id: number): Promise<StorageRow> {
  const row = await store.findStorage(db, ctx.caller.clientId, id);
  if (!row) throw missing(id);
  return row;
}

/** @throws NotFound, also for one that is deleted */
export async function getStorage(db: Queryable, ctx: RequestContext, id: number): Promise<StorageRow> {
  const row = await getAnyStorage(db, ctx, id);
  if (row.status === 'deleted') throw missing(id);
  return row;
}

/** The storage, locked, with no task that works on it. @throws NotFound, Locked */
export async function lockFree(tx: Tx, ctx: RequestContext, id: number): Promise<StorageRow> {
  const row = await store.lockStorage(tx, ctx.caller.clientId, id);
  if (!row) throw missing(id);
  if (row.task_id !== null) throw new Locked(`Storage ${row.name}`, row.task_id);
  return row;
}

/** The same for a change of what it has.
 *  @throws NotFound, Locked, Conflict for one that was never finished */
export async function lockActive(tx: Tx, ctx: RequestContext, id: number): Promise<StorageRow> {
  const row = await lockFree(tx, ctx, id);
  if (row.status === 'deleted') throw missing(id);
  if (row.address === null) throw new Conflict(`Storage ${row.name} was never finished; delete it`);
  return row;
}

/** Starts the task of a storage that the caller has locked or made. */
export function startFor(
  tx: Tx,
  ctx: RequestContext,
  row: Pick<StorageRow, 'id' | 'name' | 'region_id'>,
  task: { readonly type: string; readonly id: string; readonly data?: Record<string, unknown> },
): Promise<TaskRef> {
  return startTask(tx, ctx, {
    ...task,
    subject: row.id,
    name: row.name,
    projectId: null,
    regionId: row.region_id,
  });
}

/** @throws Invalid unless it is a field of these and a direction */
export function readOrder(order: string | undefined, fields: readonly string[]): string {
  const asked = order || 'created_at.desc';
  const [field = '', direction = '', rest] = asked.split('.');
  if (fields.includes(field) && /^(asc|desc)$/.test(direction) && rest === undefined) return asked;
  const names = fields.flatMap((name) => [`${name}.asc`, `${name}.desc`]).join(', ');
  throw new Invalid({ order_by: [`must be one of ${names}`] }, 'query');
}
