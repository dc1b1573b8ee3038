import { regionPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { TaskIds, Uuid } from '../../platform/http/schemas.ts';
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

const all = regionPath('Volumes', '/cloud/v1/volumes/{project_id}/{region_id}');
export const one = all.at('{volume_id}', { volume_id: Uuid() });
const oneV2 = one.version(2);

export const volumeRoutes = (service: VolumeService): readonly Route[] => [
  all.post({
    summary: 'Create a volume, empty or from an image, and attach it if an instance is named',
    body: CreateVolume,
    rules: givenTags,
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, body),
  }),
  all.get({
    summary: 'List volumes',
    query: VolumeListQuery,
    response: VolumeList,
    handler: (ctx, { query }) => service.list(ctx, query),
  }),
  one.get({
    summary: 'Get a volume',
    response: Volume,
    handler: (ctx, { params: { volume_id: id } }) => service.get(ctx, id),
  }),
  one.patch({
    summary: 'Change the name or tags of a volume',
    body: UpdateVolume,
    rules: checkTagChanges,
    response: Volume,
    handler: (ctx, { params: { volume_id: id }, body }) => service.update(ctx, id, body),
  }),
  one.delete({
    summary: 'Delete a volume that no instance has',
    query: DeleteVolumeQuery,
    response: TaskIds,
    handler: (ctx, { params: { volume_id: id }, query }) => service.delete(ctx, id, query.snapshots),
  }),
];

export const volumeActionRoutes = (actions: VolumeActions, service: VolumeService): readonly Route[] => [
  oneV2.at('attach').post({
    summary: 'Attach a volume to an instance',
    body: AttachVolume,
    response: TaskIds,
    handler: (ctx, { params: { volume_id: id }, body }) => actions.attach(ctx, id, body),
  }),
  oneV2.at('detach').post({
    summary: 'Detach a volume from its instance',
    body: DetachVolume,
    response: TaskIds,
    handler: (ctx, { params: { volume_id: id }, body }) => actions.detach(ctx, id, body.instance_id),
  }),
  one.at('extend').post({
    summary: 'Make a volume larger',
    body: ExtendVolume,
    response: TaskIds,
    handler: (ctx, { params: { volume_id: id }, body }) => actions.extend(ctx, id, body.size),
  }),
  one.at('retype').post({
    summary: 'Change the type of a volume',
    body: RetypeVolume,
    response: Volume,
    handler: async (ctx, { params: { volume_id: id }, body }) => {
      await actions.retype(ctx, id, body);
      return service.get(ctx, id);
    },
  }),
  one.at('revert').post({
    summary: 'Make a volume hold what its last snapshot holds',
    handler: (ctx, { params: { volume_id: id } }) => actions.revert(ctx, id),
  }),
];
