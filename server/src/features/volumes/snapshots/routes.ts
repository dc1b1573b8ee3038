import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../../platform/http/tags.ts';
import { CreateSnapshot, Snapshot, SnapshotList, SnapshotListQuery, UpdateSnapshot } from './schema.ts';
import type { SnapshotService } from './service.ts';

const tag = 'Volumes';
const all = '/cloud/v1/snapshots/{project_id}/{region_id}';
const one = `${all}/{snapshot_id}`;
const params = Type.Object({ ...RegionParams.properties, snapshot_id: Uuid() });

export const snapshotRoutes = (service: SnapshotService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create a snapshot of a volume',
    access: 'write',
    params: RegionParams,
    body: CreateSnapshot,
    rules: givenTags,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List snapshots',
    access: 'read',
    params: RegionParams,
    query: SnapshotListQuery,
    response: SnapshotList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a snapshot',
    access: 'read',
    params,
    response: Snapshot,
    handler: (ctx, { params: { snapshot_id: id } }) => service.get(ctx, id),
  }),
  regionRoute({
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change the name or tags of a snapshot',
    access: 'write',
    params,
    body: UpdateSnapshot,
    rules: checkTagChanges,
    response: Snapshot,
    handler: (ctx, { params: { snapshot_id: id }, body }) => service.update(ctx, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a snapshot',
    access: 'write',
    params,
    response: TaskIds,
    handler: (ctx, { params: { snapshot_id: id } }) => service.delete(ctx, id),
  }),
];
