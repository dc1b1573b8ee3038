import { nullable, taskTime } from '../../kernel/codecs.ts';
import { NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { RegionContext, RequestContext } from '../../platform/http/context.ts';
import type { AcknowledgeAllQuery, ActiveTasksQuery, Task, TaskListQuery } from './schema.ts';
import * as store from './store.ts';

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
    created_resources: row.created_resources,
    data: row.data,
    client_id: row.client_id,
    project_id: row.project_id,
    region_id: row.region_id,
    user_id: row.user_id,
    user_client_id: row.client_id,
    request_id: row.request_id,
    job_id: row.id,
    schedule_id: null,
    lifecycle_policy_id: null,
    progress: row.progress,
    step: row.step,
  };
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const missing = (id: string) => new NotFound(`Task ${id} was not found`);

export async function listTasks(ctx: RequestContext, query: TaskListQuery) {
  const { count, results } = await store.listTasks(ctx.db, ctx.caller.clientId, query);
  return { count, results: results.map(viewTask) };
}

export async function listActiveTasks(ctx: RegionContext, query: ActiveTasksQuery) {
  const { count, results } = await store.listActiveTasks(ctx.db, ctx.project.id, ctx.region.id, query);
  return { count, results: results.map(viewTask) };
}

/** @throws NotFound */
export async function acknowledgeTask(ctx: RequestContext, id: string): Promise<Task> {
  if (!UUID.test(id)) throw missing(id);
  return ctx.db.transaction(async (tx) => {
    const row = await store.acknowledge(tx, id, acknowledgement(ctx));
    if (!row) throw missing(id);
    await recordAudit(tx, ctx, { action: 'acknowledge_task', subject: id });
    return viewTask(row);
  });
}

export async function acknowledgeAllTasks(ctx: RequestContext, scope: AcknowledgeAllQuery): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await store.acknowledgeAll(tx, acknowledgement(ctx), scope);
    await recordAudit(tx, ctx, { action: 'acknowledge_all_tasks', subject: null });
  });
}

const acknowledgement = (ctx: RequestContext): store.Acknowledgement => ({
  clientId: ctx.caller.clientId,
  userId: ctx.caller.userId,
  timestamp: ctx.clock.timestamp(),
});
