import { type Static, Type } from '@sinclair/typebox';
import { ListOf, ListQuery, StringEnum, Uuid } from '../../platform/http/schemas.ts';

export const POLICIES = ['affinity', 'anti-affinity', 'soft-anti-affinity'] as const;

export const ServerGroup = Type.Object(
  {
    servergroup_id: Uuid(),
    project_id: Type.Integer(),
    region_id: Type.Integer(),
    region: Type.String(),
    name: Type.String(),
    policy: Type.String(),
    instances: Type.Array(Type.Object({ instance_id: Type.String(), instance_name: Type.String() })),
  },
  { $id: 'ServerGroup' },
);
export const ServerGroupList = ListOf(ServerGroup, 'ServerGroupList');

export const CreateServerGroup = Type.Object(
  {
    name: Type.String({ pattern: '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,108}[a-zA-Z0-9._]$' }),
    policy: StringEnum(POLICIES),
  },
  { $id: 'CreateServerGroup' },
);
export type CreateServerGroup = Static<typeof CreateServerGroup>;

export const ServerGroupListQuery = ListQuery({});
export type ServerGroupListQuery = Static<typeof ServerGroupListQuery>;
