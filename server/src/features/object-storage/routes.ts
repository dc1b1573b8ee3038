import { type Route, route } from '../../platform/http/route.ts';
import type { ObjectStorageService } from './access.ts';
import { listLocations } from './locations.ts';
import * as parts from './parts.ts';
import * as schema from './schema.ts';
import * as storages from './storages.ts';
import { usageSeries, usageTotal } from './usage.ts';
import { UsageSeries, UsageSeriesQuery, UsageTotal, UsageTotalQuery } from './usage-schema.ts';

const tag = 'Object storage';
const STORAGES = '/storage/v4/object_storages';
const STORAGE = `${STORAGES}/{storage_id}`;

const storageRoutes = (service: ObjectStorageService): readonly Route[] => [
  route({
    method: 'GET',
    path: '/storage/v4/locations',
    tag,
    summary: 'List where storages can be made',
    access: 'read',
    query: schema.LocationListQuery,
    response: schema.LocationList,
    handler: (_ctx, { query }) =>
      listLocations({ s3: service.locations, sftp: service.sftpLocations }, query),
  }),
  route({
    method: 'GET',
    path: STORAGES,
    tag,
    summary: 'List storages',
    access: 'read',
    query: schema.StorageListQuery,
    response: schema.ObjectStorageList,
    handler: (ctx, { query }) => storages.listStorages(ctx, query),
  }),
  route({
    method: 'POST',
    path: STORAGES,
    tag,
    summary: 'Create a storage, with a first access key',
    access: 'write',
    sensitive: true,
    body: schema.CreateObjectStorage,
    bodyFaults: (body) => service.locations.faultsOf(body),
    status: 201,
    response: schema.NewObjectStorage,
    handler: (ctx, { body }) => storages.createStorage(service, ctx, body),
  }),
  route({
    method: 'GET',
    path: STORAGE,
    tag,
    summary: 'Get a storage',
    access: 'read',
    params: schema.StorageParams,
    response: schema.ObjectStorage,
    handler: (ctx, { params }) => storages.getStorage(ctx, params.storage_id),
  }),
  route({
    method: 'DELETE',
    path: STORAGE,
    tag,
    summary: 'Delete a storage; it can be restored for a week',
    access: 'write',
    params: schema.StorageParams,
    status: 204,
    handler: (ctx, { params }) => storages.deleteStorage(service, ctx, params.storage_id),
  }),
  route({
    method: 'POST',
    path: `${STORAGE}/restore`,
    tag,
    summary: 'Bring back a deleted storage, with its keys, buckets and objects; its address is a new one',
    access: 'write',
    params: schema.StorageParams,
    status: 204,
    handler: (ctx, { params }) => storages.restoreStorage(service, ctx, params.storage_id),
  }),
];

const keyRoutes = (service: ObjectStorageService): readonly Route[] => [
  route({
    method: 'GET',
    path: `${STORAGE}/access_keys`,
    tag,
    summary: 'List the access keys of a storage',
    access: 'read',
    params: schema.StorageParams,
    query: schema.OrderedQuery,
    response: schema.AccessKeyList,
    handler: (ctx, { params, query }) => parts.listKeys(ctx, params.storage_id, query),
  }),
  route({
    method: 'POST',
    path: `${STORAGE}/access_keys`,
    tag,
    summary: 'Create an access key; its secret is shown once',
    access: 'write',
    sensitive: true,
    params: schema.StorageParams,
    body: schema.CreateAccessKey,
    status: 201,
    response: schema.NewAccessKey,
    handler: (ctx, { params, body }) =>
      parts.createKey(service, ctx, params.storage_id, body.read_only ?? false),
  }),
  route({
    method: 'GET',
    path: `${STORAGE}/access_keys/{access_key}`,
    tag,
    summary: 'Get an access key',
    access: 'read',
    params: schema.KeyParams,
    response: schema.AccessKey,
    handler: (ctx, { params }) => parts.getKey(ctx, params.storage_id, params.access_key),
  }),
  route({
    method: 'DELETE',
    path: `${STORAGE}/access_keys/{access_key}`,
    tag,
    summary: 'Delete an access key, which no longer opens anything when this is answered',
    access: 'write',
    params: schema.KeyParams,
    status: 204,
    handler: (ctx, { params }) => parts.deleteKey(service, ctx, params.storage_id, params.access_key),
  }),
];

const bucketRoutes = (service: ObjectStorageService): readonly Route[] => [
  route({
    method: 'GET',
    path: `${STORAGE}/buckets`,
    tag,
    summary: 'List the buckets of a storage, also those that S3 clients have made',
    access: 'read',
    params: schema.StorageParams,
    query: schema.PageQuery,
    response: schema.BucketList,
    handler: (ctx, { params, query }) => parts.listBuckets(ctx, params.storage_id, query),
  }),
  route({
    method: 'POST',
    path: `${STORAGE}/buckets`,
    tag,
    summary: 'Create a bucket',
    access: 'write',
    params: schema.StorageParams,
    body: schema.CreateBucket,
    status: 201,
    response: schema.Bucket,
    handler: (ctx, { params, body }) => parts.createBucket(service, ctx, params.storage_id, body.name),
  }),
  route({
    method: 'GET',
    path: `${STORAGE}/buckets/{name}`,
    tag,
    summary: 'Get a bucket',
    access: 'read',
    params: schema.BucketParams,
    response: schema.Bucket,
    handler: (ctx, { params }) => parts.getBucket(ctx, params.storage_id, params.name),
  }),
  route({
    method: 'PATCH',
    path: `${STORAGE}/buckets/{name}`,
    tag,
    summary: 'Change who may use a bucket, and how long its objects stay',
    access: 'write',
    params: schema.BucketParams,
    body: schema.UpdateBucket,
    response: schema.Bucket,
    handler: (ctx, { params, body }) => parts.updateBucket(service, ctx, params, body),
  }),
  route({
    method: 'DELETE',
    path: `${STORAGE}/buckets/{name}`,
    tag,
    summary: 'Delete an empty bucket',
    access: 'write',
    params: schema.BucketParams,
    status: 204,
    handler: (ctx, { params }) => parts.deleteBucket(service, ctx, params.storage_id, params.name),
  }),
];

const usageRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/storage/stats/v1/storage/usage/total',
    tag,
    summary: 'Add up what storages have used',
    access: 'read',
    body: UsageTotalQuery,
    response: UsageTotal,
    handler: (ctx, { body }) => usageTotal(ctx, body),
  }),
  route({
    method: 'POST',
    path: '/storage/stats/v1/storage/usage/series',
    tag,
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
  ...usageRoutes,
];
