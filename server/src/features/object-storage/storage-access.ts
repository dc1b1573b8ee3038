import { Conflict, Forbidden, Invalid, Locked, NotFound } from '../../kernel/errors.ts';
import { requireTransition } from '../../kernel/transitions.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { Page, Paging } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { startTask, type TaskRef } from '../../platform/tasks/start.ts';
import { STORAGE_TRANSITIONS, type StorageStatus } from './model.ts';
import { type AnyStorageRow, ORDER_FIELDS, type StorageTable } from './storage-table.ts';

/** What calls about storages of every kind have in common: finding them, locking them, starting their tasks. */

/** Storages of one kind that an account can have. */
const MAX_STORAGES = 100;

/** Waits for the task of a call that answers without it. */
export interface Waiting {
  readonly tasks: { settled(ctx: RequestContext, task: TaskRef, failure: string): Promise<void> };
}

export interface StorageListQuery extends Paging {
  readonly order_by: string;
  readonly id?: string;
  readonly name?: string;
  readonly name__contains?: string;
  readonly location_name?: string;
  readonly provisioning_status?: StorageStatus;
  readonly show_deleted?: boolean;
}

const missing = (id: number) => new NotFound(`Storage ${id} was not found`);

function undeleted<Row extends AnyStorageRow>(row: Row): Row {
  if (row.status === 'deleted') throw missing(row.id);
  return row;
}

/** @param kind for people, of several: "object storages" */
export const storageAccess = <Row extends AnyStorageRow>(table: StorageTable<Row>, kind: string) => ({
  /** The page, and how many match in all. @throws Invalid for an order that there is not */
  list(ctx: RequestContext, query: StorageListQuery): Promise<Page<Row>> {
    return table.list(ctx.db, {
      clientId: ctx.caller.clientId,
      id: query.id,
      name: query.name,
      namePart: query.name__contains,
      location: query.location_name,
      status: query.provisioning_status,
      showDeleted: query.show_deleted ?? false,
      order: readOrder(query.order_by, ORDER_FIELDS),
      limit: query.limit,
      offset: query.offset,
    });
  },

  /** The storage as it is, which may be deleted. @throws NotFound */
  async findAny(db: Queryable, ctx: RequestContext, id: number): Promise<Row> {
    const row = await table.find(db, ctx.caller.clientId, id);
    if (!row) throw missing(id);
    return row;
  },

  /** @throws NotFound, also for one that is deleted */
  async find(db: Queryable, ctx: RequestContext, id: number): Promise<Row> {
    return undeleted(await this.findAny(db, ctx, id));
  },

  /** The storage, which may be deleted, locked, with no task that works on it. @throws NotFound, Locked */
  async lockAny(tx: Tx, ctx: RequestContext, id: number): Promise<Row> {
    const row = await table.lock(tx, ctx.caller.clientId, id);
    if (!row) throw missing(id);
    if (row.task_id !== null) throw new Locked(`Storage ${row.name}`, row.task_id);
    return row;
  },

  /** @throws NotFound, also for one that is deleted, Locked */
  async lockFree(tx: Tx, ctx: RequestContext, id: number): Promise<Row> {
    return undeleted(await this.lockAny(tx, ctx, id));
  },

  /** The same for a change of what it has.
   *  @throws NotFound, Locked, Conflict for one that was never finished */
  async lockActive(tx: Tx, ctx: RequestContext, id: number): Promise<Row> {
    const row = await this.lockFree(tx, ctx, id);
    if (row.address === null) throw new Conflict(`Storage ${row.name} was never finished; delete it`);
    return row;
  },

  /** The caller has locked the client. @throws Forbidden for an account that has as many as it may */
  async refuseMore(tx: Tx, clientId: number): Promise<void> {
    if ((await table.count(tx, clientId)) >= MAX_STORAGES)
      throw new Forbidden(`An account has at most ${MAX_STORAGES} ${kind}`);
  },

  /** Gives a storage that the caller has locked to a new task. */
  async holdFor(
    tx: Tx,
    ctx: RequestContext,
    row: Row,
    { type, status }: { readonly type: string; readonly status: StorageStatus },
  ): Promise<TaskRef> {
    requireTransition(`Storage ${row.name}`, STORAGE_TRANSITIONS, row.status, status);
    const id = ctx.ids.uuid();
    await table.hold(tx, row.id, id, status);
    return startStorageTask(tx, ctx, row, { type, id });
  },

  /** Deletes a storage, and waits until that is done. @throws NotFound, Locked */
  async delete({ tasks }: Waiting, ctx: RequestContext, id: number, type: string): Promise<void> {
    const { row, ref } = await ctx.db.transaction(async (tx) => {
      const row = await this.lockFree(tx, ctx, id);
      return { row, ref: await this.holdFor(tx, ctx, row, { type, status: 'deleting' }) };
    });
    await tasks.settled(ctx, ref, `Storage ${row.name} could not be deleted`);
  },
});

/** Starts the task of a storage that the caller has locked or made. */
export const startStorageTask = (
  tx: Tx,
  ctx: RequestContext,
  { id: subject, name, region_id }: Pick<AnyStorageRow, 'id' | 'name' | 'region_id'>,
  task: { readonly type: string; readonly id: string },
): Promise<TaskRef> => startTask(tx, ctx, { ...task, subject, name, projectId: null, regionId: region_id });

/** @throws Invalid unless it is a field of these and a direction */
export function readOrder(order: string | undefined, fields: readonly string[]): string {
  const requested = order || 'created_at.desc';
  const [field = '', direction = '', rest] = requested.split('.');
  if (fields.includes(field) && /^(asc|desc)$/.test(direction) && rest === undefined) return requested;
  const names = fields.flatMap((name) => [`${name}.asc`, `${name}.desc`]).join(', ');
  throw new Invalid({ order_by: [`must be one of: ${names}`] }, 'query');
}
