import { projectRoute, type Route } from '../../platform/http/route.ts';
import { ProjectParams } from '../../platform/http/schemas.ts';
import {
  CreateInferenceSecret,
  InferenceSecret,
  InferenceSecretList,
  ReplaceInferenceSecret,
  SecretListQuery,
  SecretParams,
} from './schema.ts';
import { type InferenceSecrets, MAX_SECRETS } from './service.ts';

const tag = 'Inference secrets';
const COLLECTION = '/cloud/v3/inference/{project_id}/secrets';
const ONE = `${COLLECTION}/{secret_name}`;
/** Reading a secret means being able to act with it, so that read-only roles may not. */
const access = 'write';

export function inferenceSecretRoutes(secrets: InferenceSecrets): readonly Route[] {
  return [
    projectRoute({
      method: 'POST',
      path: COLLECTION,
      tag,
      summary: 'Create an inference secret',
      description: `A project has at most ${MAX_SECRETS}.`,
      access,
      params: ProjectParams,
      body: CreateInferenceSecret,
      response: InferenceSecret,
      handler: (ctx, { body }) => secrets.create(ctx, body),
    }),
    projectRoute({
      method: 'GET',
      path: COLLECTION,
      tag,
      summary: 'List inference secrets with their values',
      access,
      params: ProjectParams,
      query: SecretListQuery,
      response: InferenceSecretList,
      handler: (ctx, { query }) => secrets.list(ctx, query),
    }),
    projectRoute({
      method: 'GET',
      path: ONE,
      tag,
      summary: 'Get an inference secret with its value',
      access,
      params: SecretParams,
      response: InferenceSecret,
      handler: (ctx, { params }) => secrets.get(ctx, params.secret_name),
    }),
    projectRoute({
      method: 'PUT',
      path: ONE,
      tag,
      summary: 'Replace the value of an inference secret',
      access,
      params: SecretParams,
      body: ReplaceInferenceSecret,
      response: InferenceSecret,
      handler: (ctx, { params, body }) => secrets.replace(ctx, params.secret_name, body),
    }),
    projectRoute({
      method: 'DELETE',
      path: ONE,
      tag,
      summary: 'Delete an inference secret',
      access,
      params: SecretParams,
      status: 204,
      handler: (ctx, { params }) => secrets.delete(ctx, params.secret_name),
    }),
  ];
}
