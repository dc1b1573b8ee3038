import { Type } from '@sinclair/typebox';
import {
  MetadataInput,
  metadataRoutes,
  replaceTags,
  type TaggedNoun,
} from '../../platform/http/metadata-routes.ts';
import { type Route, regionRoute } from '../../platform/http/route.ts';
import { RegionParams, Uuid } from '../../platform/http/schemas.ts';
import type { TaskReads } from '../tasks/index.ts';
import type { VolumeActions } from './actions.ts';
import { AttachVolume, DetachVolume, Volume } from './schema.ts';
import type { VolumeService } from './service.ts';
import { Snapshot } from './snapshots/schema.ts';
import type { SnapshotService } from './snapshots/service.ts';

/** What older clients call: changes that answer with the volume when they are done, and tags by themselves. */

const tag = 'Volumes';
const one = '/cloud/v1/volumes/{project_id}/{region_id}/{volume_id}';
const params = Type.Object({ ...RegionParams.properties, volume_id: Uuid() });

interface Services {
  readonly service: VolumeService;
  readonly actions: VolumeActions;
  readonly tasks: TaskReads;
}

export const olderVolumeRoutes = ({ service, actions, tasks }: Services): readonly Route[] => [
  regionRoute({
    method: 'POST',
    path: `${one}/attach`,
    tag,
    summary: 'Attach a volume to an instance and get it back',
    deprecated: true,
    access: 'write',
    params,
    body: AttachVolume,
    response: Volume,
    handler: async (ctx, { params: { volume_id: id }, body }) => {
      await tasks.settled(ctx, await actions.attach(ctx, id, body), `Volume ${id} could not be attached`);
      return service.get(ctx, id);
    },
  }),
  regionRoute({
    method: 'POST',
    path: `${one}/detach`,
    tag,
    summary: 'Detach a volume from its instance and get it back',
    deprecated: true,
    access: 'write',
    params,
    body: DetachVolume,
    response: Volume,
    handler: async (ctx, { params: { volume_id: id }, body }) => {
      const task = await actions.detach(ctx, id, body.instance_id);
      await tasks.settled(ctx, task, `Volume ${id} could not be detached`);
      return service.get(ctx, id);
    },
  }),
  ...metadataRoutes({
    tag,
    noun: 'a volume',
    path: one,
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  }),
];

export function olderSnapshotRoutes(service: SnapshotService): readonly Route[] {
  const noun: TaggedNoun = {
    tag,
    noun: 'a snapshot',
    path: '/cloud/v1/snapshots/{project_id}/{region_id}/{snapshot_id}',
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  };
  return [
    regionRoute({
      method: 'PUT',
      path: `${noun.path}/metadata`,
      tag,
      summary: 'Replace the tags of a snapshot and get it back',
      deprecated: true,
      access: 'write',
      params: Type.Object({ ...RegionParams.properties, snapshot_id: Uuid() }),
      body: MetadataInput,
      response: Snapshot,
      handler: (ctx, { params: { snapshot_id: id }, body }) => replaceTags(noun, ctx, id, body),
    }),
  ];
}
