import type { Clock } from '../../kernel/clock.ts';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds } from '../../platform/http/schemas.ts';
import { CreateSecret, Secret, SecretList, SecretListQuery, SecretParams } from './schema.ts';
import { faultsOf, MAX_SECRETS_MIB, type SecretService } from './service.ts';

const tag = 'Secrets';
const all = '/cloud/v1/secrets/{project_id}/{region_id}';
const one = `${all}/{secret_id}`;

export function secretRoutes(service: SecretService, clock: Clock): readonly Route[] {
  return [
    regionRoute({
      method: 'POST',
      path: all.replace('/v1/', '/v2/'),
      tag,
      summary: 'Create a secret from a certificate',
      description: `An account keeps at most ${MAX_SECRETS_MIB} MiB of secrets; one more is refused once they are reached.`,
      access: 'write',
      params: RegionParams,
      body: CreateSecret,
      bodyFaults: async (body) => faultsOf(body, clock.now()),
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    regionRoute({
      method: 'GET',
      path: all,
      tag,
      summary: 'List secrets, without what they hold',
      access: 'read',
      params: RegionParams,
      query: SecretListQuery,
      response: SecretList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    regionRoute({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a secret, without what it holds',
      access: 'read',
      params: SecretParams,
      response: Secret,
      handler: (ctx, { params }) => service.get(ctx, params.secret_id),
    }),
    regionRoute({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete a secret that nothing uses',
      access: 'write',
      params: SecretParams,
      response: TaskIds,
      handler: (ctx, { params }) => service.delete(ctx, params.secret_id),
    }),
  ];
}
