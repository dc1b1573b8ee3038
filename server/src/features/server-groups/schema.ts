import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../platform/http/patterns.ts';
import { ListOf, ListQuery, namePart, SCOPE, StringEnum, Uuid } from '../../platform/http/schemas.ts';

export const POLICIES = ['affinity', 'anti-affinity', 'soft-anti-affinity'] as const;

export const ServerGroup = Type.Object(
  {
    servergroup_id: Uuid(),
    ...SCOPE,
    name: Type.String(),
    policy: Type.String(),
    instances: Type.Array(Type.Object({ instance_id: Type.String(), instance_name: Type.String() })),
  },
  { $id: 'ServerGroup' },
);
export const ServerGroupList = ListOf(ServerGroup, 'ServerGroupList');

/** As other names, but longer. */
const NAME = worded(
  '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,108}[a-zA-Z0-9._]$',
  'must be 3 to 110 letters, digits, spaces, ".", "_" or "-", begin with a letter or digit, and end with one, "." or "_"',
);

export const CreateServerGroup = Type.Object(
  {
    name: Type.String({ pattern: NAME }),
    policy: StringEnum(POLICIES),
  },
  { $id: 'CreateServerGroup' },
);
export type CreateServerGroup = Static<typeof CreateServerGroup>;

export const ServerGroupListQuery = ListQuery({ name__contains: namePart() });
export type ServerGroupListQuery = Static<typeof ServerGroupListQuery>;
