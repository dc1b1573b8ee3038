import { type Static, Type } from '@sinclair/typebox';
import { ListOf, Name, Nullable } from '../../../platform/http/schemas.ts';

export const InstanceSecurityGroupList = ListOf(
  Type.Object({ id: Type.String(), name: Type.String() }),
  'InstanceSecurityGroupList',
);

/** Names of security groups for all ports of an instance, or for some of them. */
export const PortGroups = Type.Object(
  {
    name: Type.Optional(Name({ description: 'For every port' })),
    ports_security_group_names: Type.Optional(
      Type.Array(
        Type.Object({
          port_id: Nullable(Type.String(), { description: 'null: every port' }),
          security_group_names: Type.Array(Name()),
        }),
      ),
    ),
  },
  { $id: 'PortSecurityGroups' },
);
export type PortGroups = Static<typeof PortGroups>;
