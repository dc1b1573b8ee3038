import { isDeepStrictEqual } from 'node:util';
import type { Static } from '@sinclair/typebox';
import { Conflict, Forbidden, Invalid, Locked, NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { startTask, type TaskRef } from '../../platform/tasks/start.ts';
import { type Locations, nameIsFree, readOrder } from '../object-storage/index.ts';
import type { SftpRow, SftpSettings } from './model.ts';
import type { CreateSftpStorage, SftpListQuery, UpdateSftpStorage } from './schema.ts';
import { changed, keyFaults, type NewPassword, PLAIN, passwordOf } from './settings.ts';
import * as store from './store.ts';
import { viewSftpStorage } from './views.ts';

/** Calls about SFTP storages. A command is one transaction; the work is a task's, which the call waits for. */

export interface SftpService {
  readonly locations: Locations;
  /** Waits for the task of a call that answers without it. */
  readonly tasks: { settled(ctx: RequestContext, task: TaskRef, failure: string): Promise<void> };
}

const MAX_STORAGES = 100;

const missing = (id: number) => new NotFound(`Storage ${id} was not found`);

export async function listStorages(ctx: RequestContext, query: Static<typeof SftpListQuery>) {
  const order = readOrder(query.order_by, store.ORDER_FIELDS);
  const { limit = 10, offset = 0 } = query;
  const { count, rows } = await store.listStorages(ctx.db, {
    clientId: ctx.caller.clientId,
    id: query.id || null,
    name: query.name || null,
    location: query.location_name || null,
    status: query.provisioning_status ?? null,
    showDeleted: query.show_deleted ?? false,
    order,
    limit,
    offset,
  });
  return { count, results: rows.map((row) => viewSftpStorage(row)) };
}

/** @throws NotFound, also for one that is deleted */
async function find(db: Queryable, ctx: RequestContext, id: number): Promise<SftpRow> {
  const row = await store.findStorage(db, ctx.caller.clientId, id);
  if (!row || row.status === 'deleted') throw missing(id);
  return row;
}

/** @throws NotFound, also for one that is deleted */
export const getStorage = async (ctx: RequestContext, id: number) =>
  viewSftpStorage(await find(ctx.db, ctx, id));

/** @returns the storage, with its password when that is new
 *  @throws Invalid, Forbidden, Conflict for a taken name, or when it cannot be made */
export async function createStorage(service: SftpService, ctx: RequestContext, input: CreateSftpStorage) {
  const region = await service.locations.find(input.location_name);
  const now = ctx.clock.now();
  const password = await passwordOf(input);
  const settings = changed(PLAIN, input, password, now);
  const { clientId } = ctx.caller;
  const made = await ctx.db.transaction(async (tx) => {
    await nameIsFree(tx, clientId, input.name);
    await checkKeys(tx, clientId, input);
    if ((await store.countForNew(tx, clientId)) >= MAX_STORAGES)
      throw new Forbidden(`An account has at most ${MAX_STORAGES} SFTP storages`);
    const taskId = ctx.ids.uuid();
    const timestamp = ctx.clock.timestamp();
    const row = { clientId, regionId: region.id, name: input.name, settings, taskId, timestamp };
    const id = await store.insertStorage(tx, row);
    const storage = { id, name: input.name, region_id: region.id };
    return { id, ref: await startFor(tx, ctx, storage, { type: 'create_sftp_storage', id: taskId }) };
  });
  await service.tasks.settled(ctx, made.ref, `Storage ${input.name} could not be made`);
  return shown(ctx, made.id, settings, password);
}

/** What is not given stays. @throws Invalid, NotFound, Locked */
export async function updateStorage(
  service: SftpService,
  ctx: RequestContext,
  id: number,
  input: UpdateSftpStorage,
) {
  const now = ctx.clock.now();
  const { name } = await find(ctx.db, ctx, id);
  const password = await passwordOf(input);
  const { ref, settings } = await ctx.db.transaction(async (tx) => {
    await store.holdClient(tx, ctx.caller.clientId);
    const row = await lockFree(tx, ctx, id);
    if (row.address === null) throw new Conflict(`Storage ${row.name} was never finished; delete it`);
    await checkKeys(tx, ctx.caller.clientId, input);
    const settings = changed(row.settings, input, password, now);
    if (isDeepStrictEqual(settings, row.settings)) return { settings };
    return { settings, ref: await update(tx, ctx, row, settings) };
  });
  if (ref) await service.tasks.settled(ctx, ref, `Storage ${name} could not be changed`);
  return shown(ctx, id, settings, password);
}

/** Starts the task that brings a storage, which the caller has locked, to these settings. */
export async function update(
  tx: Tx,
  ctx: RequestContext,
  row: SftpRow,
  next: SftpSettings,
): Promise<TaskRef> {
  const taskId = ctx.ids.uuid();
  await store.holdStorage(tx, { id: row.id, taskId, status: 'updating', next });
  return startFor(tx, ctx, row, { type: 'update_sftp_storage', id: taskId });
}

/** Its files go with it. @throws NotFound, Locked */
export async function deleteStorage(service: SftpService, ctx: RequestContext, id: number): Promise<void> {
  const { row, ref } = await ctx.db.transaction(async (tx) => {
    const row = await lockFree(tx, ctx, id);
    const taskId = ctx.ids.uuid();
    await store.holdStorage(tx, { id, taskId, status: 'deleting', next: null });
    return { row, ref: await startFor(tx, ctx, row, { type: 'delete_sftp_storage', id: taskId }) };
  });
  await service.tasks.settled(ctx, ref, `Storage ${row.name} could not be deleted`);
}

/** A task that takes longer than the call is still bringing about what it is to be. */
async function shown(ctx: RequestContext, id: number, settings: SftpSettings, password: NewPassword) {
  const row = await store.findStorage(ctx.db, ctx.caller.clientId, id);
  if (!row) throw missing(id);
  return {
    ...viewSftpStorage(row, settings),
    ...(typeof password === 'object' ? { password: password.password } : {}),
  };
}

/** The storage, locked, with no task that works on it. @throws NotFound, Locked */
async function lockFree(tx: Tx, ctx: RequestContext, id: number): Promise<SftpRow> {
  const row = await store.lockStorage(tx, ctx.caller.clientId, id);
  if (!row || row.status === 'deleted') throw missing(id);
  if (row.task_id !== null) throw new Locked(`Storage ${row.name}`, row.task_id);
  return row;
}

/** @throws Invalid */
async function checkKeys(
  tx: Tx,
  clientId: number,
  { ssh_key_ids: ids = [] }: UpdateSftpStorage,
): Promise<void> {
  const faults = await keyFaults(tx, clientId, ids);
  if (Object.keys(faults).length > 0) throw new Invalid(faults);
}

function startFor(
  tx: Tx,
  ctx: RequestContext,
  row: Pick<SftpRow, 'id' | 'name' | 'region_id'>,
  task: { readonly type: string; readonly id: string },
): Promise<TaskRef> {
  return startTask(tx, ctx, {
    ...task,
    subject: row.id,
    name: row.name,
    projectId: null,
    regionId: row.region_id,
  });
}
