import {
  MetadataInput,
  metadataRoutes,
  replaceTags,
  type TaggedNoun,
} from '../../platform/http/metadata-routes.ts';
import type { Route } from '../../platform/http/route.ts';
import type { TaskReads } from '../tasks/index.ts';
import type { VolumeActions } from './actions.ts';
import { one } from './routes.ts';
import { AttachVolume, DetachVolume, Volume } from './schema.ts';
import type { VolumeService } from './service.ts';
import { one as snapshot } from './snapshots/routes.ts';
import { Snapshot } from './snapshots/schema.ts';
import type { SnapshotService } from './snapshots/service.ts';

/** What older clients call: changes that answer with the volume when they are done, and tags by themselves. */

interface Services {
  readonly service: VolumeService;
  readonly actions: VolumeActions;
  readonly tasks: TaskReads;
}

export const deprecatedVolumeRoutes = ({ service, actions, tasks }: Services): readonly Route[] => [
  one.at('attach').post({
    summary: 'Attach a volume to an instance and get it back',
    deprecated: true,
    body: AttachVolume,
    response: Volume,
    handler: async (ctx, { params: { volume_id: id }, body }) => {
      await tasks.settled(ctx, await actions.attach(ctx, id, body), `Volume ${id} could not be attached`);
      return service.get(ctx, id);
    },
  }),
  one.at('detach').post({
    summary: 'Detach a volume from its instance and get it back',
    deprecated: true,
    body: DetachVolume,
    response: Volume,
    handler: async (ctx, { params: { volume_id: id }, body }) => {
      const task = await actions.detach(ctx, id, body.instance_id);
      await tasks.settled(ctx, task, `Volume ${id} could not be detached`);
      return service.get(ctx, id);
    },
  }),
  ...metadataRoutes({
    noun: 'a volume',
    at: one,
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  }),
];

export function deprecatedSnapshotRoutes(service: SnapshotService): readonly Route[] {
  const noun: TaggedNoun = {
    noun: 'a snapshot',
    at: snapshot,
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  };
  return [
    snapshot.at('metadata').put({
      summary: 'Replace the tags of a snapshot and get it back',
      deprecated: true,
      body: MetadataInput,
      response: Snapshot,
      handler: (ctx, { params: { snapshot_id: id }, body }) => replaceTags(noun, ctx, id, body),
    }),
  ];
}
