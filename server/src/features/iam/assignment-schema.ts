import { type Static, Type } from '@sinclair/typebox';
import { DateTime, Key, ListOf, ListQuery, Nullable, StringEnum } from '../../platform/http/schemas.ts';

const ROLE_NAMES = [
  'ClientAdministrator',
  'InternalNetworkOnlyUser',
  'Observer',
  'ProjectAdministrator',
  'User',
] as const;
const role = (options = {}) => StringEnum(ROLE_NAMES, options);

export const RoleAssignment = Type.Object(
  {
    id: Type.Integer(),
    user_id: Type.Integer(),
    role: role(),
    client_id: Type.Integer(),
    project_id: Nullable(Type.Integer(), { description: 'Null: the whole account' }),
    assigned_by: Nullable(Type.Integer()),
    created_at: DateTime(),
    updated_at: Nullable(DateTime()),
  },
  { $id: 'RoleAssignment' },
);
export const RoleAssignmentList = ListOf(RoleAssignment, 'RoleAssignmentList');

export const RequestAssignment = Type.Object(
  {
    user_id: Key(),
    role: role({ description: 'InternalNetworkOnlyUser is not offered' }),
    client_id: Type.Optional(Nullable(Key(), { default: null })),
    project_id: Type.Optional(Nullable(Key(), { default: null })),
  },
  { $id: 'RequestAssignment' },
);
export type RequestAssignment = Static<typeof RequestAssignment>;
export const AssignmentId = Type.Object({ assignment_id: Type.Integer() }, { $id: 'AssignmentId' });
export const AssignmentParams = Type.Object({ assignment_id: Key() });

export const AssignmentsQuery = ListQuery({
  project_id: Type.Optional(Key()),
  user_id: Type.Optional(Key()),
});
export type AssignmentsQuery = Static<typeof AssignmentsQuery>;

export const AssignableRoleList = ListOf(
  Type.Object({ role: role(), scope: Type.String({ description: 'client or project' }) }),
  'AssignableRoleList',
);
export const RolesQuery = Type.Object({
  project_id: Type.Optional(Key({ description: 'Only roles that can be assigned in a project' })),
});

export const ClientUserList = ListOf(
  Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String({ format: 'email' }),
    activated: Type.Boolean(),
    is_admin: Type.Boolean(),
  }),
  'ClientUserList',
);
export const ClientUsersQuery = ListQuery({ user_id: Type.Optional(Key()) });
export type ClientUsersQuery = Static<typeof ClientUsersQuery>;
