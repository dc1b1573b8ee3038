import { projectPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import {
  CreateInferenceSecret,
  InferenceSecret,
  InferenceSecretList,
  ReplaceInferenceSecret,
  SecretListQuery,
  SecretParams,
} from './schema.ts';
import { type InferenceSecrets, MAX_SECRETS } from './service.ts';

const all = projectPath('Inference secrets', '/cloud/v3/inference/{project_id}/secrets');
const one = all.at('{secret_name}', SecretParams.properties);
/** Reading a secret means being able to act with it, so that read-only roles may not. */
const access = 'write';

export function inferenceSecretRoutes(secrets: InferenceSecrets): readonly Route[] {
  return [
    all.post({
      summary: 'Create an inference secret',
      description: `A project has at most ${MAX_SECRETS}.`,
      access,
      sensitive: true,
      body: CreateInferenceSecret,
      response: InferenceSecret,
      handler: (ctx, { body }) => secrets.create(ctx, body),
    }),
    all.get({
      summary: 'List inference secrets with their values',
      access,
      query: SecretListQuery,
      response: InferenceSecretList,
      handler: (ctx, { query }) => secrets.list(ctx, query),
    }),
    one.get({
      summary: 'Get an inference secret with its value',
      access,
      response: InferenceSecret,
      handler: (ctx, { params }) => secrets.get(ctx, params.secret_name),
    }),
    one.put({
      summary: 'Replace the value of an inference secret',
      access,
      sensitive: true,
      body: ReplaceInferenceSecret,
      response: InferenceSecret,
      handler: (ctx, { params, body }) => secrets.replace(ctx, params.secret_name, body),
    }),
    one.delete({
      summary: 'Delete an inference secret',
      access,
      status: 204,
      handler: (ctx, { params }) => secrets.delete(ctx, params.secret_name),
    }),
  ];
}
