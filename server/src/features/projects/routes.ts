import { plainPath, projectPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds } from '../../platform/http/schemas.ts';
import {
  CreateProject,
  Project,
  ProjectList,
  ProjectListQuery,
  ReplaceProject,
  UpdateProject,
} from './schema.ts';
import {
  createProject,
  deleteProject,
  getProject,
  type InsertProject,
  listProjects,
  updateProject,
} from './service.ts';

const tag = 'Projects';
const all = plainPath(tag, '/cloud/v1/projects');
const one = projectPath(tag, '/cloud/v1/projects/{project_id}');

export const projectRoutes = (insertProject: InsertProject): readonly Route[] => [
  all.post({
    summary: 'Create a project',
    access: 'administer',
    body: CreateProject,
    status: 201,
    response: Project,
    handler: (ctx, { body }) => createProject(ctx, body, insertProject),
  }),
  all.get({
    summary: 'List projects',
    access: 'read',
    query: ProjectListQuery,
    response: ProjectList,
    handler: (ctx, { query }) => listProjects(ctx, query),
  }),
  one.get({
    summary: 'Get a project',
    response: Project,
    handler: (ctx) => getProject(ctx, ctx.project.id),
  }),
  one.patch({
    summary: 'Rename or describe a project',
    access: 'administer',
    body: UpdateProject,
    response: Project,
    handler: (ctx, { body }) => updateProject(ctx, body),
  }),
  one.put({
    operationId: 'replaceProject',
    summary: 'Rename a project, and describe it or take its description away',
    access: 'administer',
    body: ReplaceProject,
    response: Project,
    handler: (ctx, { body }) => updateProject(ctx, body),
  }),
  one.delete({
    summary: 'Delete an empty project',
    access: 'administer',
    response: TaskIds,
    handler: (ctx) => deleteProject(ctx),
  }),
];
