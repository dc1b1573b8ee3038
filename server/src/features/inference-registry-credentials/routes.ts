import { projectPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import {
  CreateRegistryCredentials,
  CredentialsListQuery,
  CredentialsParams,
  ReplaceRegistryCredentials,
  RegistryCredentials as Shape,
  RegistryCredentialsList as ShapeList,
} from './schema.ts';
import { MAX_CREDENTIALS, type RegistryCredentials } from './service.ts';

const all = projectPath(
  'Inference registry credentials',
  '/cloud/v3/inference/{project_id}/registry_credentials',
);
const one = all.at('{credential_name}', CredentialsParams.properties);

export function registryCredentialRoutes(credentials: RegistryCredentials): readonly Route[] {
  return [
    all.post({
      summary: 'Create inference registry credentials',
      description: `A project has at most ${MAX_CREDENTIALS}.`,
      body: CreateRegistryCredentials,
      response: Shape,
      handler: (ctx, { body }) => credentials.create(ctx, body),
    }),
    all.get({
      summary: 'List inference registry credentials',
      query: CredentialsListQuery,
      response: ShapeList,
      handler: (ctx, { query }) => credentials.list(ctx, query),
    }),
    one.get({
      summary: 'Get inference registry credentials',
      response: Shape,
      handler: (ctx, { params }) => credentials.get(ctx, params.credential_name),
    }),
    one.put({
      summary: 'Replace inference registry credentials',
      body: ReplaceRegistryCredentials,
      response: Shape,
      handler: (ctx, { params, body }) => credentials.replace(ctx, params.credential_name, body),
    }),
    one.delete({
      summary: 'Delete inference registry credentials',
      status: 204,
      handler: (ctx, { params }) => credentials.delete(ctx, params.credential_name),
    }),
  ];
}
