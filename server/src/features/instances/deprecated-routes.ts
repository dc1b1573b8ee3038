import { Type } from '@sinclair/typebox';
import {
  metadataItemRoutes,
  metadataKeyRoutes,
  metadataListRoutes,
  type TaggedNoun,
} from '../../platform/http/metadata-routes.ts';
import type { Route } from '../../platform/http/route.ts';
import { Nullable } from '../../platform/http/schemas.ts';
import type { TaskReads } from '../tasks/index.ts';
import type { InstanceActions } from './actions.ts';
import { all, one } from './routes.ts';
import { Instance } from './schema.ts';
import { type InstanceAction, StartInstance } from './schema-actions.ts';
import type { InstanceService } from './service.ts';

/** What older clients call: single actions that answer with the instance when they are done, and tags by
 *  themselves. */

/** The last part of the path, what it does, and what it is called elsewhere. */
const ACTIONS = [
  ['start', 'Start', 'start'],
  ['stop', 'Stop', 'stop'],
  ['reboot', 'Restart', 'reboot'],
  ['powercycle', 'Switch off and on', 'reboot_hard'],
  ['suspend', 'Suspend', 'suspend'],
  ['resume', 'Resume', 'resume'],
] as const satisfies readonly (readonly [string, string, InstanceAction['action']])[];

const Names = Type.Object(
  {
    custom_name_allowed: Type.Boolean(),
    name_templates_limited: Type.Boolean(),
    allowed_name_templates: Nullable(Type.Array(Type.String())),
    allowed_name_win_templates: Nullable(Type.Array(Type.String())),
    allowed_bm_name_templates: Nullable(Type.Array(Type.String())),
    allowed_bm_name_win_templates: Nullable(Type.Array(Type.String())),
  },
  { $id: 'AvailableInstanceNames', description: 'null: whatever is a name is allowed.' },
);

/** Nothing limits how instances are called. */
const ANY_NAME = {
  custom_name_allowed: true,
  name_templates_limited: false,
  allowed_name_templates: null,
  allowed_name_win_templates: null,
  allowed_bm_name_templates: null,
  allowed_bm_name_win_templates: null,
};

interface Services {
  readonly service: InstanceService;
  readonly actions: InstanceActions;
  readonly tasks: TaskReads;
}

export const deprecatedInstanceRoutes = (services: Services): readonly Route[] => [
  all.at('available_names').get({
    summary: 'See which names instances may have',
    deprecated: true,
    response: Names,
    handler: async () => ANY_NAME,
  }),
  ...ACTIONS.map((action) => actionRoute(services, action)),
  ...deprecatedMetadataRoutes(services),
];

function actionRoute(
  { service, actions, tasks }: Services,
  [name, verb, action]: (typeof ACTIONS)[number],
): Route {
  return one.at(name).post({
    summary: `${verb} an instance and get it back`,
    deprecated: true,
    ...(action === 'start' ? { body: StartInstance } : {}),
    response: Instance,
    handler: async (ctx, { params: { instance_id: id } }) => {
      const task = await actions.act(ctx, id, { action });
      await tasks.settled(ctx, task, `The ${name} of instance ${id} could not be done`);
      return service.get(ctx, id);
    },
  });
}

function deprecatedMetadataRoutes({ service }: Services): readonly Route[] {
  const noun: TaggedNoun = {
    noun: 'an instance',
    at: one,
    tags: async (ctx, id) => (await service.get(ctx, id)).tags,
    patch: (ctx, id, tags) => service.update(ctx, id, { tags }),
  };
  return [
    ...metadataListRoutes(noun),
    ...metadataKeyRoutes(noun),
    ...metadataItemRoutes({ ...noun, at: one.version(2) }),
  ];
}
