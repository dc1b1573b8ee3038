import { projectRoute, type Route } from '../../platform/http/route.ts';
import { ProjectParams } from '../../platform/http/schemas.ts';
import {
  CreatedSshKey,
  CreateSshKey,
  ShareSshKey,
  SshKey,
  SshKeyList,
  SshKeyListQuery,
  SshKeyParams,
} from './schema.ts';
import { createSshKey, deleteSshKey, getSshKey, listSshKeys, shareSshKey } from './service.ts';

const tag = 'SSH keys';
const all = '/cloud/v1/ssh_keys/{project_id}';
const one = `${all}/{ssh_key_id}`;

export const sshKeyRoutes: readonly Route[] = [
  projectRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Add an SSH key, or have a pair made',
    access: 'write',
    params: ProjectParams,
    body: CreateSshKey,
    status: 201,
    sensitive: true,
    response: CreatedSshKey,
    handler: (ctx, { body }) => createSshKey(ctx, body),
  }),
  projectRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List SSH keys',
    access: 'read',
    params: ProjectParams,
    query: SshKeyListQuery,
    response: SshKeyList,
    handler: (ctx, { query }) => listSshKeys(ctx, query),
  }),
  projectRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get an SSH key',
    access: 'read',
    params: SshKeyParams,
    response: SshKey,
    handler: (ctx, { params }) => getSshKey(ctx, params.ssh_key_id),
  }),
  projectRoute({
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Share an SSH key in its project, or keep it to its owner',
    access: 'write',
    params: SshKeyParams,
    body: ShareSshKey,
    response: SshKey,
    handler: (ctx, { params, body }) => shareSshKey(ctx, params.ssh_key_id, body.shared_in_project),
  }),
  projectRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete an SSH key',
    access: 'write',
    params: SshKeyParams,
    status: 204,
    handler: (ctx, { params }) => deleteSshKey(ctx, params.ssh_key_id),
  }),
];
