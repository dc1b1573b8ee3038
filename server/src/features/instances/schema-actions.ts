import { type Static, Type } from '@sinclair/typebox';
import { Nullable, StringEnum } from '../../platform/http/schemas.ts';

/** What can be done to an instance that is there. */

const Start = Type.Object({
  action: Type.Literal('start'),
  activate_profile: Type.Optional(
    Nullable(Type.Boolean(), {
      default: true,
      description: 'Accepted; a DDoS profile is always active here.',
    }),
  ),
});
const Other = Type.Object({
  action: StringEnum(['reboot', 'reboot_hard', 'resume', 'stop', 'suspend']),
});

export type InstanceAction = Static<typeof Start> | Static<typeof Other>;
export const InstanceAction = Type.Unsafe<InstanceAction>({
  $id: 'InstanceAction',
  anyOf: [Start, Other],
});

export const ChangeFlavor = Type.Object({ flavor_id: Type.String() }, { $id: 'ChangeFlavor' });
