import { projectRoute, type Route, route } from '../../platform/http/route.ts';
import { ProjectParams, TaskIds } from '../../platform/http/schemas.ts';
import { CreateProject, Project, ProjectList, ProjectListQuery, UpdateProject } from './schema.ts';
import {
  createProject,
  deleteProject,
  getProject,
  type InsertProject,
  listProjects,
  updateProject,
} from './service.ts';

const tag = 'Projects';

export const projectRoutes = (insertProject: InsertProject): readonly Route[] => [
  route({
    method: 'POST',
    path: '/cloud/v1/projects',
    tag,
    summary: 'Create a project',
    access: 'administer',
    body: CreateProject,
    status: 201,
    response: Project,
    handler: (ctx, { body }) => createProject(ctx, body, insertProject),
  }),
  route({
    method: 'GET',
    path: '/cloud/v1/projects',
    tag,
    summary: 'List projects',
    access: 'read',
    query: ProjectListQuery,
    response: ProjectList,
    handler: (ctx, { query }) => listProjects(ctx, query),
  }),
  projectRoute({
    method: 'GET',
    path: '/cloud/v1/projects/{project_id}',
    tag,
    summary: 'Get a project',
    access: 'read',
    params: ProjectParams,
    response: Project,
    handler: (ctx) => getProject(ctx, ctx.project.id),
  }),
  projectRoute({
    method: 'PATCH',
    path: '/cloud/v1/projects/{project_id}',
    tag,
    summary: 'Rename or describe a project',
    access: 'administer',
    params: ProjectParams,
    body: UpdateProject,
    response: Project,
    handler: (ctx, { body }) => updateProject(ctx, body),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/cloud/v1/projects/{project_id}',
    tag,
    summary: 'Delete an empty project',
    access: 'administer',
    params: ProjectParams,
    response: TaskIds,
    handler: (ctx) => deleteProject(ctx),
  }),
];
