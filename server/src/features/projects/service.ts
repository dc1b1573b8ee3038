import { nullable, zuluTime } from '../../kernel/codecs.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { ProjectContext, RequestContext } from '../../platform/http/context.ts';
import { startTask, type TaskRef } from '../../platform/tasks/start.ts';
import { GLOBAL_REGION, reserve } from '../quotas/index.ts';
import type { CreateProject, ProjectListQuery, ReplaceProject, UpdateProject } from './schema.ts';
import * as store from './store.ts';

export function viewProject(row: store.ProjectRow) {
  return {
    id: row.id,
    client_id: row.client_id,
    name: row.name,
    description: row.description,
    state: row.state,
    is_default: row.is_default,
    task_id: row.task_id,
    created_at: zuluTime(row.created_at),
    deleted_at: nullable(zuluTime)(row.deleted_at),
  };
}

export async function listProjects(ctx: RequestContext, query: ProjectListQuery) {
  return viewPage(await store.listProjects(ctx.db, ctx.caller.clientId, query), viewProject);
}

/** @throws NotFound, also for a project of another client */
export async function getProject(ctx: RequestContext, id: number) {
  const row = await store.readProject(ctx.db, id, ctx.caller.clientId);
  if (!row) throw new NotFound(`Project ${id} was not found`);
  return viewProject(row);
}

/** Inserts a project, with what each project has in each region. */
export type InsertProject = (tx: Tx, project: store.NewProject) => Promise<store.ProjectRow>;

/** @throws Conflict when the client has a project of this name, QuotaExceeded */
export async function createProject(ctx: RequestContext, input: CreateProject, insertProject: InsertProject) {
  const { clientId } = ctx.caller;
  return refusingNamesInUse(input.name, () =>
    ctx.db.transaction(async (tx) => {
      const row = await insertProject(tx, {
        clientId,
        name: input.name,
        description: input.description,
        isDefault: false,
        timestamp: ctx.clock.timestamp(),
      });
      const { id, name } = row;
      await recordAudit(tx, ctx, { action: 'create_project', subject: id, name, projectId: id });
      await reserve(tx, { clientId, regionId: GLOBAL_REGION }, { project_count: 1 });
      return viewProject(row);
    }),
  );
}

/** @throws Conflict when another project has this name or it is being deleted */
export async function updateProject(ctx: ProjectContext, input: UpdateProject | ReplaceProject) {
  const { id } = ctx.project;
  return refusingNamesInUse(input.name ?? '', () =>
    ctx.db.transaction(async (tx) => {
      const row = await store.lockProject(tx, id);
      requireFree('Project', row);
      const updated = await store.updateProject(tx, id, {
        name: input.name ?? row.name,
        description: input.description === undefined ? row.description : input.description,
      });
      const { name } = updated;
      await recordAudit(tx, ctx, { action: 'update_project', subject: id, name, projectId: id });
      return viewProject(updated);
    }),
  );
}

/** `1 load balancer`, `2 lifecycle policies`. */
const named = (plural: string, count: number): string =>
  count === 1 ? plural.replace(/(ie)?s$/, (end) => (end === 'ies' ? 'y' : '')) : plural;

/** Starts the deletion of an empty project.
 *  @throws Conflict for the default project, one with resources, or one being deleted already */
export async function deleteProject(ctx: ProjectContext): Promise<TaskRef> {
  const { id } = ctx.project;
  return ctx.db.transaction(async (tx) => {
    const row = await store.lockProject(tx, id);
    requireFree('Project', row);
    if (row.is_default) throw new Conflict('The default project cannot be deleted');
    const resources = await store.countResources(tx, id);
    if (resources.length > 0) {
      const list = resources.map(({ resource, count }) => `${count} ${named(resource, count)}`).join(', ');
      throw new Conflict(`Project ${id} still has ${list}; delete them first`);
    }
    const taskId = ctx.ids.uuid();
    await store.markDeleting(tx, id, taskId);
    return startTask(tx, ctx, {
      id: taskId,
      type: 'delete_project',
      subject: id,
      name: row.name,
      projectId: id,
      regionId: null,
    });
  });
}

async function refusingNamesInUse<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) === 'projects_name')
      throw new Conflict(`A project with the name ${name} exists already`);
    throw error;
  }
}
