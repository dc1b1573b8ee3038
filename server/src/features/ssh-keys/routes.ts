import { projectPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
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

const all = projectPath('SSH keys', '/cloud/v1/ssh_keys/{project_id}');
const one = all.at('{ssh_key_id}', SshKeyParams.properties);

export const sshKeyRoutes: readonly Route[] = [
  all.post({
    summary: 'Add an SSH key, or have a pair made',
    body: CreateSshKey,
    status: 201,
    sensitive: true,
    response: CreatedSshKey,
    handler: (ctx, { body }) => createSshKey(ctx, body),
  }),
  all.get({
    summary: 'List SSH keys',
    query: SshKeyListQuery,
    response: SshKeyList,
    handler: (ctx, { query }) => listSshKeys(ctx, query),
  }),
  one.get({
    summary: 'Get an SSH key',
    response: SshKey,
    handler: (ctx, { params }) => getSshKey(ctx, params.ssh_key_id),
  }),
  one.patch({
    summary: 'Share an SSH key in its project, or keep it to its owner',
    body: ShareSshKey,
    response: SshKey,
    handler: (ctx, { params, body }) => shareSshKey(ctx, params.ssh_key_id, body.shared_in_project),
  }),
  one.delete({
    summary: 'Delete an SSH key',
    status: 204,
    handler: (ctx, { params }) => deleteSshKey(ctx, params.ssh_key_id),
  }),
];
