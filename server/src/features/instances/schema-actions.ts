import { type Static, Type } from '@sinclair/typebox';
import { Nullable, StringEnum } from '../../platform/http/schemas.ts';

/** What can be done to an instance that is there. */

const Start = Type.Object(
  {
    action: Type.Literal('start'),
    activate_profile: Type.Optional(
      Nullable(Type.Boolean(), {
        default: true,
        description: 'Accepted; a DDoS profile is always active here.',
      }),
    ),
  },
  { $id: 'InstanceStartAction' },
);
const Other = Type.Object(
  { action: StringEnum(['reboot', 'reboot_hard', 'resume', 'stop', 'suspend']) },
  { $id: 'InstanceOtherAction' },
);

/** What a body may say about the start where the path says that it is one. */
export const StartInstance = Type.Object(
  { activate_profile: Start.properties.activate_profile },
  { $id: 'StartInstance', default: {} },
);

export type InstanceAction = Static<typeof Start> | Static<typeof Other>;
export const InstanceAction = Type.Unsafe<InstanceAction>({
  $id: 'InstanceAction',
  oneOf: [Start, Other],
  discriminator: { propertyName: 'action' },
  type: 'object',
  required: ['action'],
});

export const ConsoleQuery = Type.Object({
  console_type: Type.Optional(Type.String({ maxLength: 50, description: 'Default: the one that there is.' })),
});
export const Console = Type.Object(
  {
    remote_console: Type.Object({ url: Type.String(), type: Type.String(), protocol: Type.String() }),
  },
  { $id: 'InstanceConsole' },
);

export const ChangeFlavor = Type.Object({ flavor_id: Type.String() }, { $id: 'ChangeFlavor' });
