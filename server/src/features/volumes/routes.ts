import { Type } from '@sinclair/typebox';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, TaskIds, Uuid } from '../../platform/http/schemas.ts';
import { checkTagChanges, givenTags } from '../../platform/http/tags.ts';
import type { VolumeActions } from './actions.ts';
import {
  AttachVolume,
  CreateVolume,
  DeleteVolumeQuery,
  DetachVolume,
  ExtendVolume,
  RetypeVolume,
  UpdateVolume,
  Volume,
  VolumeList,
  VolumeListQuery,
} from './schema.ts';
import type { VolumeService } from './service.ts';

const tag = 'Volumes';
const all = '/cloud/v1/volumes/{project_id}/{region_id}';
const one = `${all}/{volume_id}`;
const oneV2 = one.replace('/v1/', '/v2/');
const params = Type.Object({ ...RegionParams.properties, volume_id: Uuid() });

export const volumeRoutes = (service: VolumeService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create a volume, empty or from an image, and attach it if an instance is named',
    access: 'write',
    params: RegionParams,
    body: CreateVolume,
    rules: givenTags,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  regionRoute({
    method: 'GET',
    path: all,
    tag,
    summary: 'List volumes',
    access: 'read',
    params: RegionParams,
    query: VolumeListQuery,
    response: VolumeList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  regionRoute({
    method: 'GET',
    path: one,
    tag,
    summary: 'Get a volume',
    access: 'read',
    params,
    response: Volume,
    handler: (ctx, { params: { volume_id: id } }) => service.get(ctx, id),
  }),
  regionRoute({
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change the name or tags of a volume',
    access: 'write',
    params,
    body: UpdateVolume,
    rules: checkTagChanges,
    response: Volume,
    handler: (ctx, { params: { volume_id: id }, body }) => service.update(ctx, id, body),
  }),
  regionRoute({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a volume that no instance has',
    access: 'write',
    params,
    query: DeleteVolumeQuery,
    response: TaskIds,
    handler: (ctx, { params: { volume_id: id }, query }) => service.delete(ctx, id, query.snapshots),
  }),
];

export const volumeActionRoutes = (actions: VolumeActions, service: VolumeService): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: `${oneV2}/attach`,
    tag,
    summary: 'Attach a volume to an instance',
    access: 'write',
    params,
    body: AttachVolume,
    response: TaskIds,
    handler: (ctx, { params: { volume_id: id }, body }) => actions.attach(ctx, id, body),
  }),
  regionRoute({
    method: 'POST',
    path: `${oneV2}/detach`,
    tag,
    summary: 'Detach a volume from its instance',
    access: 'write',
    params,
    body: DetachVolume,
    response: TaskIds,
    handler: (ctx, { params: { volume_id: id }, body }) => actions.detach(ctx, id, body.instance_id),
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/extend`,
    tag,
    summary: 'Make a volume larger',
    access: 'write',
    params,
    body: ExtendVolume,
    response: TaskIds,
    handler: (ctx, { params: { volume_id: id }, body }) => actions.extend(ctx, id, body.size),
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/retype`,
    tag,
    summary: 'Change the type of a volume',
    access: 'write',
    params,
    body: RetypeVolume,
    response: Volume,
    handler: async (ctx, { params: { volume_id: id }, body }) => {
      await actions.retype(ctx, id, body);
      return service.get(ctx, id);
    },
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/revert`,
    tag,
    summary: 'Make a volume hold what its last snapshot holds',
    access: 'write',
    params,
    handler: (ctx, { params: { volume_id: id } }) => actions.revert(ctx, id),
  }),
];
