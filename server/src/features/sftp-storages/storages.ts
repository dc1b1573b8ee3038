import { isDeepStrictEqual } from 'node:util';
import type { Static } from '@sinclair/typebox';
import { Invalid } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { TaskRef } from '../../platform/tasks/start.ts';
import {
  type Locations,
  nameIsFree,
  startStorageTask,
  storageAccess,
  type Waiting,
} from '../object-storage/index.ts';
import type { SftpRow, SftpSettings } from './model.ts';
import type { CreateSftpStorage, SftpListQuery, UpdateSftpStorage } from './schema.ts';
import { changed, keyFaults, type NewPassword, PLAIN, passwordOf } from './settings.ts';
import { lockClient, setNext, storages } from './store.ts';
import { viewSftpStorage } from './views.ts';

/** Calls about SFTP storages. A command is one transaction; the work is a task's, which the call waits for. */

export interface SftpService extends Waiting {
  readonly locations: Locations;
}

const access = storageAccess(storages, 'SFTP storages');

export async function listStorages(ctx: RequestContext, query: Static<typeof SftpListQuery>) {
  return viewPage(await access.list(ctx, query), (row) => viewSftpStorage(row));
}

/** @throws NotFound, also for one that is deleted */
export const getStorage = async (ctx: RequestContext, id: number) =>
  viewSftpStorage(await access.find(ctx.db, ctx, id));

/** @returns the storage, with its password when that is new
 *  @throws Invalid, Forbidden, Conflict for a name in use, or when it cannot be made */
export async function createStorage(service: SftpService, ctx: RequestContext, input: CreateSftpStorage) {
  const region = await service.locations.find(input.location_name);
  const now = ctx.clock.now();
  const password = await passwordOf(input);
  const settings = changed(PLAIN, input, password, now);
  const { clientId } = ctx.caller;
  const made = await ctx.db.transaction(async (tx) => {
    await nameIsFree(tx, clientId, input.name);
    await checkKeys(tx, clientId, input);
    await access.refuseMore(tx, clientId);
    const taskId = ctx.ids.uuid();
    const timestamp = ctx.clock.timestamp();
    const row = { clientId, regionId: region.id, name: input.name, taskId, timestamp };
    const id = await storages.insert(tx, row, { settings: JSON.stringify(settings) });
    const storage = { id, name: input.name, region_id: region.id };
    return { id, ref: await startStorageTask(tx, ctx, storage, { type: 'create_sftp_storage', id: taskId }) };
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
  const { name } = await access.find(ctx.db, ctx, id);
  const password = await passwordOf(input);
  const { ref, settings } = await ctx.db.transaction(async (tx) => {
    await lockClient(tx, ctx.caller.clientId);
    const row = await access.lockActive(tx, ctx, id);
    await checkKeys(tx, ctx.caller.clientId, input);
    const settings = changed(row.settings, input, password, now);
    if (isDeepStrictEqual(settings, row.settings)) return { settings };
    return { settings, ref: await update(tx, ctx, row, settings) };
  });
  if (ref) await service.tasks.settled(ctx, ref, `Storage ${name} could not be changed`);
  return shown(ctx, id, settings, password);
}

/** Lets a key open a storage, or lets it no longer. @throws NotFound, Locked */
export async function linkKey(
  service: SftpService,
  ctx: RequestContext,
  id: number,
  { keyId, isLinked }: { readonly keyId: number; readonly isLinked: boolean },
): Promise<void> {
  const { name } = await access.find(ctx.db, ctx, id);
  const ref = await ctx.db.transaction(async (tx) => {
    await lockClient(tx, ctx.caller.clientId);
    const row = await access.lockActive(tx, ctx, id);
    const others = row.settings.ssh_key_ids.filter((each) => each !== keyId);
    const isThere = others.length < row.settings.ssh_key_ids.length;
    if (isThere === isLinked) return undefined;
    const ssh_key_ids = isLinked ? [...others, keyId] : others;
    await checkKeys(tx, ctx.caller.clientId, { ssh_key_ids });
    return update(tx, ctx, row, { ...row.settings, ssh_key_ids });
  });
  if (ref) await service.tasks.settled(ctx, ref, `Storage ${name} could not be changed`);
}

/** Starts the task that brings a storage, which the caller has locked, to these settings. */
export async function update(
  tx: Tx,
  ctx: RequestContext,
  row: SftpRow,
  next: SftpSettings,
): Promise<TaskRef> {
  await setNext(tx, row.id, next);
  return access.holdFor(tx, ctx, row, { type: 'update_sftp_storage', status: 'updating' });
}

/** Its files go with it. @throws NotFound, Locked */
export const deleteStorage = (service: SftpService, ctx: RequestContext, id: number): Promise<void> =>
  access.delete(service, ctx, id, 'delete_sftp_storage');

/** A task that takes longer than the call is still bringing about what it is to be. */
async function shown(ctx: RequestContext, id: number, settings: SftpSettings, password: NewPassword) {
  const row = await access.findAny(ctx.db, ctx, id);
  return {
    ...viewSftpStorage(row, settings),
    ...(typeof password === 'object' ? { password: password.password } : {}),
  };
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
