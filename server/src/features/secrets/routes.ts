import type { Clock } from '../../kernel/clock.ts';
import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds } from '../../platform/http/schemas.ts';
import { CreateSecret, Secret, SecretList, SecretListQuery, SecretParams } from './schema.ts';
import { faultsOf, MAX_SECRETS_MIB, type SecretService } from './service.ts';

export const all = regionPath('Secrets', '/cloud/v1/secrets/{project_id}/{region_id}');
const one = all.at('{secret_id}', SecretParams.properties);

export function secretRoutes(service: SecretService, clock: Clock): readonly Route[] {
  return [
    all.version(2).post({
      summary: 'Create a secret from a certificate',
      description: `An account keeps at most ${MAX_SECRETS_MIB} MiB of secrets; one more is refused once they are reached.`,
      body: CreateSecret,
      bodyFaults: async (body) => faultsOf(body, clock.now()),
      response: TaskIds,
      handler: (ctx, { body }) => service.create(ctx, body),
    }),
    all.get({
      summary: 'List secrets, without what they hold',
      query: SecretListQuery,
      response: SecretList,
      handler: (ctx, { query }) => service.list(ctx, query),
    }),
    one.get({
      summary: 'Get a secret, without what it holds',
      response: Secret,
      handler: (ctx, { params }) => service.get(ctx, params.secret_id),
    }),
    one.delete({
      summary: 'Delete a secret that nothing uses',
      response: TaskIds,
      handler: (ctx, { params }) => service.delete(ctx, params.secret_id),
    }),
  ];
}
