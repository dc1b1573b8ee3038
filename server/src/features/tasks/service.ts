import { nullable, taskTime } from '../../kernel/codecs.ts';
import { Invalid, NotFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { UUID_RULE } from '../../kernel/rules.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RegionContext, RequestContext } from '../../platform/http/context.ts';
import { allKinds } from '../../platform/tasks/created-resources.ts';
import * as lists from './list-store.ts';
import type { AcknowledgeTasksQuery, ActiveTasksQuery, Task, TaskListQuery } from './schema.ts';
import * as store from './store.ts';
import { dataOf, subjectOf } from './subjects.ts';

/** Tasks acknowledged in one statement. */
const BATCH = 2000;

const time = nullable(taskTime);

export function viewTask(row: store.TaskRow): Task {
  return {
    id: row.id,
    task_type: row.type,
    state: row.state,
    detailed_state: null,
    error: row.error,
    created_on: taskTime(row.created_at),
    updated_on: taskTime(row.updated_at),
    finished_on: time(row.finished_at),
    acknowledged_at: time(row.acknowledged_at),
    acknowledged_by: row.acknowledged_by,
    created_resources: row.created_resources && allKinds(row.created_resources),
    data: dataOf(row),
    client_id: row.client_id,
    project_id: row.project_id,
    region_id: row.region_id,
    user_id: row.user_id,
    user_client_id: row.client_id,
    request_id: row.request_id,
    job_id: row.id,
    ...madeBy(row.data),
    progress: row.progress,
    step: row.state === 'RUNNING' ? (row.step ?? stepOf(row.type)) : row.step,
    subject: subjectOf(row),
  };
}

/** The lifecycle policy that has started a task; null: somebody has. */
function madeBy(data: unknown): Pick<Task, 'schedule_id' | 'lifecycle_policy_id'> {
  const { schedule_id = null, lifecycle_policy_id = null } = (data ?? {}) as Partial<
    ReturnType<typeof madeBy>
  >;
  return { schedule_id, lifecycle_policy_id };
}

const DOING: Readonly<Record<string, string>> = {
  attach: 'attaching',
  convert: 'converting',
  create: 'creating',
  delete: 'deleting',
  detach: 'detaching',
  download: 'downloading',
  extend: 'extending',
  failover: 'failing over',
  patch: 'changing',
  put: 'setting',
  reboot: 'rebooting',
  regenerate: 'regenerating',
  remove: 'removing',
  resize: 'resizing',
  restore: 'restoring',
  resume: 'resuming',
  retype: 'changing the type of',
  revert: 'reverting',
  start: 'starting',
  stop: 'stopping',
  suspend: 'suspending',
  update: 'changing',
  upgrade: 'upgrading',
};

/** What a task does that has not said more: `create_lbpool` is creating lbpool. */
function stepOf(type: string): string {
  const [verb = '', ...rest] = type.replace(/^(?:soft|hard)_|_v\d+$/g, '').split('_');
  return `${DOING[verb] ?? 'working on'} ${rest.join(' ')}`;
}

export const missing = (id: string) => new NotFound(`Task ${id} was not found`);

export async function listTasks(ctx: RequestContext, clientId: number, query: TaskListQuery) {
  const order_by = query.sorting ?? query.order_by;
  return viewPage(await lists.listTasks(ctx.db, clientId, { ...query, order_by }), viewTask);
}

export async function listActiveTasks(ctx: RegionContext, query: ActiveTasksQuery) {
  return viewPage(await lists.listActiveTasks(ctx.db, ctx.project.id, ctx.region.id, query), viewTask);
}

/** @throws NotFound */
export async function acknowledgeTask(ctx: RequestContext, id: string): Promise<Task> {
  if (!isUuid(id)) throw missing(id);
  return ctx.db.transaction(async (tx) => {
    const row = await store.acknowledge(tx, id, acknowledgement(ctx));
    if (!row) throw missing(id);
    await recordAudit(tx, ctx, { action: 'acknowledge_task', subject: id });
    return viewTask(row);
  });
}

/** In batches, each kept by itself: none holds rows up for long, and a repetition goes on where the first one ended.
 *  @param ids those among the ended ones; undefined: all of them
 *  @throws Invalid for what is no id */
export async function acknowledgeAllTasks(
  ctx: RequestContext,
  scope: AcknowledgeTasksQuery,
  ids?: readonly string[],
): Promise<void> {
  const wrong = (ids ?? []).flatMap((id, index) => (isUuid(id) ? [] : index));
  if (wrong.length > 0) {
    throw new Invalid(Object.fromEntries(wrong.map((index) => [`task_ids.${index}`, [UUID_RULE]])));
  }
  await ctx.db.transaction((tx) => recordAudit(tx, ctx, { action: 'acknowledge_all_tasks', subject: null }));
  const by = acknowledgement(ctx);
  while ((await store.acknowledgeSome(ctx.db, by, { ...scope, ids }, BATCH)) === BATCH);
}

const acknowledgement = (ctx: RequestContext): store.Acknowledgement => ({
  clientId: ctx.caller.clientId,
  userId: ctx.caller.userId,
  timestamp: ctx.clock.timestamp(),
});
