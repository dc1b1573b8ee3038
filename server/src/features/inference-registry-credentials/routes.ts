import { projectRoute, type Route } from '../../platform/http/route.ts';
import { ProjectParams } from '../../platform/http/schemas.ts';
import {
  CreateRegistryCredentials,
  CredentialsListQuery,
  CredentialsParams,
  ReplaceRegistryCredentials,
  RegistryCredentials as Shape,
  RegistryCredentialsList as ShapeList,
} from './schema.ts';
import { MAX_CREDENTIALS, type RegistryCredentials } from './service.ts';

const tag = 'Inference registry credentials';
const COLLECTION = '/cloud/v3/inference/{project_id}/registry_credentials';
const ONE = `${COLLECTION}/{credential_name}`;

export function registryCredentialRoutes(credentials: RegistryCredentials): readonly Route[] {
  return [
    projectRoute({
      method: 'POST',
      path: COLLECTION,
      tag,
      summary: 'Create inference registry credentials',
      description: `A project has at most ${MAX_CREDENTIALS}.`,
      access: 'write',
      params: ProjectParams,
      body: CreateRegistryCredentials,
      response: Shape,
      handler: (ctx, { body }) => credentials.create(ctx, body),
    }),
    projectRoute({
      method: 'GET',
      path: COLLECTION,
      tag,
      summary: 'List inference registry credentials',
      access: 'read',
      params: ProjectParams,
      query: CredentialsListQuery,
      response: ShapeList,
      handler: (ctx, { query }) => credentials.list(ctx, query),
    }),
    projectRoute({
      method: 'GET',
      path: ONE,
      tag,
      summary: 'Get inference registry credentials',
      access: 'read',
      params: CredentialsParams,
      response: Shape,
      handler: (ctx, { params }) => credentials.get(ctx, params.credential_name),
    }),
    projectRoute({
      method: 'PUT',
      path: ONE,
      tag,
      summary: 'Replace inference registry credentials',
      access: 'write',
      params: CredentialsParams,
      body: ReplaceRegistryCredentials,
      response: Shape,
      handler: (ctx, { params, body }) => credentials.replace(ctx, params.credential_name, body),
    }),
    projectRoute({
      method: 'DELETE',
      path: ONE,
      tag,
      summary: 'Delete inference registry credentials',
      access: 'write',
      params: CredentialsParams,
      status: 204,
      handler: (ctx, { params }) => credentials.delete(ctx, params.credential_name),
    }),
  ];
}
