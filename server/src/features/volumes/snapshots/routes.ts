import { regionPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../../platform/http/tags.ts';
import { CreateSnapshot, Snapshot, SnapshotList, SnapshotListQuery, UpdateSnapshot } from './schema.ts';
import type { SnapshotService } from './service.ts';

const all = regionPath('Volumes', '/cloud/v1/snapshots/{project_id}/{region_id}');
export const one = all.at('{snapshot_id}', { snapshot_id: Uuid() });

export const snapshotRoutes = (service: SnapshotService): readonly Route[] => [
  all.post({
    summary: 'Create a snapshot of a volume',
    body: CreateSnapshot,
    rules: givenTags,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.get({
    summary: 'List snapshots',
    query: SnapshotListQuery,
    response: SnapshotList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  one.get({
    summary: 'Get a snapshot',
    response: Snapshot,
    handler: (ctx, { params: { snapshot_id: id } }) => service.get(ctx, id),
  }),
  one.patch({
    summary: 'Change the name or tags of a snapshot',
    body: UpdateSnapshot,
    rules: checkTagChanges,
    response: Snapshot,
    handler: (ctx, { params: { snapshot_id: id }, body }) => service.update(ctx, id, body),
  }),
  one.delete({
    summary: 'Delete a snapshot',
    response: TaskIds,
    handler: (ctx, { params: { snapshot_id: id } }) => service.delete(ctx, id),
  }),
];
