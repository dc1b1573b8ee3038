import { Type } from '@sinclair/typebox';
import type { InvalidFields } from '../../kernel/errors.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { publicKeyFault } from '../sftp-storages/index.ts';
import * as parts from './parts.ts';
import * as schema from './schema.ts';
import * as storages from './storages.ts';

const tag = 'Older storage calls';
const at = (path: string) => plainPath(tag, `/storage/provisioning/${path}`);
const one = (version: string) =>
  plainPath(tag, `/storage/provisioning/${version}/storage/{storage_id}`, schema.StorageParams);
const older = { deprecated: true } as const;

type Service = storages.OlderStorageService;

/** Lists of the first two versions. */
const data = <T>({ count, results }: { readonly count: number; readonly results: readonly T[] }) => ({
  data: results,
  meta: { ToMeta: { total: { count } } },
});

async function keyFaults(body: unknown): Promise<InvalidFields> {
  const { key } = (body ?? {}) as { key?: unknown };
  const fault = typeof key === 'string' ? publicKeyFault(key) : undefined;
  return fault ? { key: [fault] } : {};
}

function keyRoutes(service: Service): readonly Route[] {
  const list = (version: 1 | 2) =>
    at(`v${version}/key`).get({
      ...older,
      operationId: `listStorageKeysV${version}`,
      summary: 'List the SSH keys that can open SFTP storages',
      access: 'read',
      query: schema.KeyQuery,
      response: schema.OlderKeyList,
      handler: async (ctx, { query }) => data(await parts.listKeys(ctx, query)),
    });
  const creation = (operationId: string) => ({
    ...older,
    operationId,
    summary: 'Add an SSH key, which then can be linked to SFTP storages',
    access: 'write' as const,
    body: schema.CreateOlderKey,
    bodyFaults: keyFaults,
    response: schema.OlderKey,
    handler: (ctx: RequestContext, { body }: { readonly body: schema.CreateOlderKey }) =>
      parts.createKey(ctx, body),
  });
  const link = one('v1').at('key/{key_id}', schema.KeyParams);
  return [
    list(1),
    list(2),
    at('v1/key').put(creation('createStorageKeyV1')),
    at('v1/key').post(creation('addStorageKeyV1')),
    plainPath(tag, '/storage/provisioning/v1/key/{key_id}', schema.KeyParams).delete({
      ...older,
      operationId: 'deleteStorageKeyV1',
      summary: 'Delete an SSH key, which no longer opens any storage when this is answered',
      access: 'write',
      status: 204,
      handler: (ctx, { params }) => parts.deleteKey(service, ctx, params.key_id),
    }),
    link.at('link').post({
      ...older,
      operationId: 'linkStorageKeyV1',
      summary: 'Let an SSH key open an SFTP storage',
      access: 'write',
      status: 204,
      handler: (ctx, { params }) => storages.linkKey(service, ctx, params, true),
    }),
    link.at('unlink').post({
      ...older,
      operationId: 'unlinkStorageKeyV1',
      summary: 'Let an SSH key no longer open an SFTP storage',
      access: 'write',
      status: 204,
      handler: (ctx, { params }) => storages.linkKey(service, ctx, params, false),
    }),
  ];
}

const locationRoutes = (service: Service): readonly Route[] => [
  at('v1/location').get({
    ...older,
    operationId: 'listStorageLocationsV1',
    summary: 'List where storages can be made',
    access: 'read',
    response: schema.OlderLocations,
    handler: async () => (await parts.listLocations(service)).map(({ title, ...location }) => location),
  }),
  at('v2/locations').get({
    ...older,
    operationId: 'listStorageLocationsV2',
    summary: 'List where storages can be made',
    access: 'read',
    query: schema.PageQuery,
    response: schema.OlderLocationPage,
    handler: async (_ctx, { query: { limit, offset } }) => {
      const all = await parts.listLocations(service);
      return {
        count: all.length,
        results: all.slice(offset, offset + limit).map(({ id, ...location }) => location),
      };
    },
  }),
];

function storageRoutes(service: Service): readonly Route[] {
  const list = {
    ...older,
    summary: 'List storages of both kinds',
    access: 'read',
    query: schema.StorageQuery,
  } as const;
  const creation = (operationId: string) => ({
    ...older,
    operationId,
    summary: 'Create a storage, with what opens it',
    access: 'write' as const,
    sensitive: true,
    body: schema.CreateOlderStorage,
    bodyFaults: (body: unknown) => storages.newFaults(service, body),
    response: schema.OlderStorage,
    handler: (ctx: RequestContext, { body }: { readonly body: schema.CreateOlderStorage }) =>
      storages.create(service, ctx, body),
  });
  const change = {
    ...older,
    summary: 'Change until when an SFTP storage can be used, and its alias',
    access: 'write',
    sensitive: true,
    body: schema.UpdateOlderStorage,
    bodyFaults: async (body: unknown) => storages.changeFaults(service, body),
    response: schema.OlderStorage,
  } as const;
  const storage = one('v1');
  return [
    at('v1/storage').get({
      ...list,
      operationId: 'listStoragesV1',
      response: schema.OlderStorageList,
      handler: async (ctx, { query }) => data(await storages.list(ctx, query)),
    }),
    at('v2/storage').get({
      ...list,
      operationId: 'listStoragesV2',
      response: schema.OlderStorageList,
      handler: async (ctx, { query }) => data(await storages.list(ctx, query)),
    }),
    at('v3/storage').get({
      ...list,
      operationId: 'listStoragesV3',
      response: schema.OlderStoragePage,
      handler: (ctx, { query }) => storages.list(ctx, query),
    }),
    at('v1/storage').put(creation('createStorageV1')),
    at('v2/storage').post(creation('createStorageV2')),
    storage.get({
      ...older,
      operationId: 'getStorageV1',
      summary: 'Get a storage',
      access: 'read',
      response: schema.OlderStorage,
      handler: (ctx, { params }) => storages.get(ctx, params.storage_id),
    }),
    storage.post({
      ...change,
      operationId: 'updateStorageV1',
      handler: (ctx, { params, body }) => storages.update(service, ctx, params.storage_id, body),
    }),
    one('v2').patch({
      ...change,
      operationId: 'updateStorageV2',
      handler: (ctx, { params, body }) => storages.update(service, ctx, params.storage_id, body),
    }),
    storage.delete({
      ...older,
      operationId: 'deleteStorageV1',
      summary: 'Delete a storage',
      access: 'write',
      status: 204,
      handler: (ctx, { params }) => storages.remove(service, ctx, params.storage_id),
    }),
    storage.at('restore').post({
      ...older,
      operationId: 'restoreStorageV1',
      summary: 'Bring back a deleted object storage',
      access: 'write',
      query: schema.RestoreQuery,
      status: 204,
      handler: (ctx, { params, query }) => storages.restore(service, ctx, params.storage_id, query.client_id),
    }),
    storage.at('credentials').post({
      ...older,
      operationId: 'changeStorageCredentialsV1',
      summary: 'Change what opens a storage; what is new is shown once',
      access: 'write',
      sensitive: true,
      body: schema.ChangeCredentials,
      rules: storages.checkCredentials,
      response: schema.OlderStorage,
      handler: (ctx, { params, body }) => storages.changeCredentials(service, ctx, params.storage_id, body),
    }),
  ];
}

function bucketRoutes(service: Service): readonly Route[] {
  const buckets = (version: string) => one(version).at('s3/buckets');
  const bucket = one('v1').at('s3/bucket/{bucket_name}', schema.BucketParams);
  const list = {
    ...older,
    summary: 'List the buckets of a storage',
    access: 'read',
    query: schema.PageQuery,
  } as const;
  return [
    buckets('v1').get({
      ...list,
      operationId: 'listBucketsV1',
      response: schema.OlderBucketList,
      handler: async (ctx, { params, query }) => {
        const { count, results } = await parts.listBuckets(ctx, params.storage_id, query);
        return { data: results, total_count: count };
      },
    }),
    buckets('v2').get({
      ...list,
      operationId: 'listBucketsV2',
      response: schema.OlderBucketPage,
      handler: (ctx, { params, query }) => parts.listBuckets(ctx, params.storage_id, query),
    }),
    one('v1')
      .at('s3/bucket/{bucket_name}', schema.NewBucketParams)
      .post({
        ...older,
        operationId: 'createBucketV1',
        summary: 'Create a bucket',
        access: 'write',
        status: 204,
        handler: (ctx, { params }) => parts.createBucket(service, ctx, params),
      }),
    bucket.delete({
      ...older,
      operationId: 'deleteBucketV1',
      summary: 'Delete an empty bucket',
      access: 'write',
      status: 204,
      handler: (ctx, { params }) => parts.deleteBucket(service, ctx, params),
    }),
    bucket.at('cors').get({
      ...older,
      operationId: 'getBucketCorsV1',
      summary: 'Say which web pages may use a bucket',
      access: 'read',
      response: schema.BucketCors,
      handler: async (ctx, { params }) => {
        const { cors } = await parts.getBucket(ctx, params);
        return { allowedOrigins: cors.allowed_origins };
      },
    }),
    bucket.at('cors').post({
      ...older,
      operationId: 'setBucketCorsV1',
      summary: 'Change which web pages may use a bucket',
      access: 'write',
      body: schema.ChangeBucketCors,
      status: 204,
      handler: (ctx, { params, body }) =>
        parts.changeBucket(service, ctx, params, { cors: { allowed_origins: body.allowedOrigins ?? [] } }),
    }),
    bucket.at('lifecycle').post({
      ...older,
      operationId: 'setBucketLifecycleV1',
      summary: 'Change how long the objects of a bucket stay',
      access: 'write',
      body: schema.ChangeBucketLifecycle,
      status: 204,
      handler: (ctx, { params, body: lifecycle }) => parts.changeBucket(service, ctx, params, { lifecycle }),
    }),
    bucket.at('lifecycle').delete({
      ...older,
      operationId: 'deleteBucketLifecycleV1',
      summary: 'Let the objects of a bucket stay',
      access: 'write',
      status: 204,
      handler: (ctx, { params }) =>
        parts.changeBucket(service, ctx, params, { lifecycle: { expiration_days: 0 } }),
    }),
    bucket.at('policy').get({
      ...older,
      operationId: 'getBucketPolicyV1',
      summary: 'Say whether everybody may read the objects of a bucket',
      access: 'read',
      response: Type.Boolean({ description: 'Whether everybody may.' }),
      handler: async (ctx, { params }) => (await parts.getBucket(ctx, params)).policy.is_public,
    }),
    bucket.at('policy').post({
      ...older,
      operationId: 'setBucketPolicyV1',
      summary: 'Let everybody read the objects of a bucket',
      access: 'write',
      status: 204,
      handler: (ctx, { params }) => parts.changeBucket(service, ctx, params, { policy: { is_public: true } }),
    }),
    bucket.at('policy').delete({
      ...older,
      operationId: 'deleteBucketPolicyV1',
      summary: 'Let nobody read the objects of a bucket without a key',
      access: 'write',
      status: 204,
      handler: (ctx, { params }) =>
        parts.changeBucket(service, ctx, params, { policy: { is_public: false } }),
    }),
  ];
}

export const olderStorageRoutes = (service: Service): readonly Route[] => [
  ...keyRoutes(service),
  ...locationRoutes(service),
  ...storageRoutes(service),
  ...bucketRoutes(service),
];
