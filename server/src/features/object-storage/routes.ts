import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import type { ObjectStorageService } from './access.ts';
import { listLocations } from './locations.ts';
import * as parts from './parts.ts';
import * as schema from './schema.ts';
import { signUrl } from './signed-urls.ts';
import * as storages from './storages.ts';
import { usageSeries, usageTotal } from './usage.ts';
import { UsageSeries, UsageSeriesQuery, UsageTotal, UsageTotalQuery } from './usage-schema.ts';

const tag = 'Object storage';
const all = plainPath(tag, '/storage/v4/object_storages');
const one = all.at('{storage_id}', schema.StorageParams.properties);

const storageRoutes = (service: ObjectStorageService): readonly Route[] => [
  plainPath(tag, '/storage/v4/locations').get({
    summary: 'List where storages can be made',
    access: 'read',
    query: schema.LocationListQuery,
    response: schema.LocationList,
    handler: (_ctx, { query }) =>
      listLocations({ s3: service.locations, sftp: service.sftpLocations }, query),
  }),
  all.get({
    summary: 'List storages',
    access: 'read',
    query: schema.StorageListQuery,
    response: schema.ObjectStorageList,
    handler: (ctx, { query }) => storages.listStorages(ctx, query),
  }),
  all.post({
    summary: 'Create a storage, with a first access key',
    access: 'write',
    sensitive: true,
    body: schema.CreateObjectStorage,
    bodyFaults: (body) => service.locations.faultsOf(body),
    status: 201,
    response: schema.NewObjectStorage,
    handler: (ctx, { body }) => storages.createStorage(service, ctx, body),
  }),
  one.get({
    summary: 'Get a storage',
    access: 'read',
    response: schema.ObjectStorage,
    handler: (ctx, { params }) => storages.getStorage(ctx, params.storage_id),
  }),
  one.delete({
    summary: 'Delete a storage; it can be restored for a week',
    access: 'write',
    status: 204,
    handler: (ctx, { params }) => storages.deleteStorage(service, ctx, params.storage_id),
  }),
  plainPath(tag, '/virga/v1/object_storages')
    .at('{storage_id}', schema.StorageParams.properties)
    .at('ca_certificate')
    .get({
      operationId: 'getObjectStorageCaCertificate',
      summary: 'Get the certificate by which clients know the server of a storage at an https address',
      access: 'read',
      response: schema.StorageAuthority,
      handler: (ctx, { params }) => storages.getAuthority(ctx, params.storage_id),
    }),
  one.at('restore').post({
    summary: 'Bring back a deleted storage, with its keys, buckets and objects; its address is a new one',
    access: 'write',
    status: 204,
    handler: (ctx, { params }) => storages.restoreStorage(service, ctx, params.storage_id),
  }),
];

const keyRoutes = (service: ObjectStorageService): readonly Route[] => [
  one.at('access_keys').get({
    summary: 'List the access keys of a storage',
    access: 'read',
    query: schema.OrderedQuery,
    response: schema.AccessKeyList,
    handler: (ctx, { params, query }) => parts.listKeys(ctx, params.storage_id, query),
  }),
  one.at('access_keys').post({
    summary: 'Create an access key; its secret is shown once',
    access: 'write',
    sensitive: true,
    body: schema.CreateAccessKey,
    status: 201,
    response: schema.NewAccessKey,
    handler: (ctx, { params, body }) =>
      parts.createKey(service, ctx, params.storage_id, body.read_only ?? false),
  }),
  one.at('access_keys/{access_key}', schema.KeyParams.properties).get({
    summary: 'Get an access key',
    access: 'read',
    response: schema.AccessKey,
    handler: (ctx, { params }) => parts.getKey(ctx, params.storage_id, params.access_key),
  }),
  one.at('access_keys/{access_key}', schema.KeyParams.properties).delete({
    summary: 'Delete an access key, which no longer opens anything when this is answered',
    access: 'write',
    status: 204,
    handler: (ctx, { params }) => parts.deleteKey(service, ctx, params.storage_id, params.access_key),
  }),
];

const bucketRoutes = (service: ObjectStorageService): readonly Route[] => [
  one.at('buckets').get({
    summary: 'List the buckets of a storage, also those that S3 clients have made',
    access: 'read',
    query: schema.PageQuery,
    response: schema.BucketList,
    handler: (ctx, { params, query }) => parts.listBuckets(ctx, params.storage_id, query),
  }),
  one.at('buckets').post({
    summary: 'Create a bucket',
    access: 'write',
    body: schema.CreateBucket,
    status: 201,
    response: schema.Bucket,
    handler: (ctx, { params, body }) => parts.createBucket(service, ctx, params.storage_id, body.name),
  }),
  one.at('buckets/{name}', schema.BucketParams.properties).get({
    summary: 'Get a bucket',
    access: 'read',
    response: schema.Bucket,
    handler: (ctx, { params }) => parts.getBucket(ctx, params.storage_id, params.name),
  }),
  one.at('buckets/{name}', schema.BucketParams.properties).patch({
    summary: 'Change who may use a bucket, and how long its objects stay',
    access: 'write',
    body: schema.UpdateBucket,
    response: schema.Bucket,
    handler: (ctx, { params, body }) => parts.updateBucket(service, ctx, params, body),
  }),
  one.at('buckets/{name}', schema.BucketParams.properties).delete({
    summary: 'Delete an empty bucket',
    access: 'write',
    status: 204,
    handler: (ctx, { params }) => parts.deleteBucket(service, ctx, params.storage_id, params.name),
  }),
];

const signingRoutes: readonly Route[] = [
  plainPath(tag, '/virga/v1/object_storages/{storage_id}/signed_urls', schema.StorageParams.properties).post({
    operationId: 'signStorageUrl',
    summary: 'Sign an address of a storage, for one request of S3 that needs no key',
    description:
      'Signed with the newest key of the storage that may write. It ends with its time, or with the key. Nothing is kept of it.',
    access: 'write',
    sensitive: true,
    body: schema.SignUrl,
    status: 201,
    response: schema.SignedUrl,
    handler: (ctx, { params, body }) => signUrl(ctx, params.storage_id, body),
  }),
];

const usageRoutes: readonly Route[] = [
  plainPath(tag, '/storage/stats/v1/storage/usage/total').post({
    summary: 'Add up what storages have used',
    access: 'read',
    body: UsageTotalQuery,
    response: UsageTotal,
    handler: (ctx, { body }) => usageTotal(ctx, body),
  }),
  plainPath(tag, '/storage/stats/v1/storage/usage/series').post({
    summary: 'Show what storages have used over time',
    access: 'read',
    body: UsageSeriesQuery,
    response: UsageSeries,
    handler: (ctx, { body }) => usageSeries(ctx, body),
  }),
];

export const objectStorageRoutes = (service: ObjectStorageService): readonly Route[] => [
  ...storageRoutes(service),
  ...keyRoutes(service),
  ...bucketRoutes(service),
  ...signingRoutes,
  ...usageRoutes,
];
