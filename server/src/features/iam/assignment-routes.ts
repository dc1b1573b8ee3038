import { type Route, route } from '../../platform/http/route.ts';
import {
  AssignableRoleList,
  AssignmentId,
  AssignmentParams,
  AssignmentsQuery,
  ClientUserList,
  ClientUsersQuery,
  RequestAssignment,
  RoleAssignment,
  RoleAssignmentList,
  RolesQuery,
} from './assignment-schema.ts';
import {
  changeAssignment,
  createAssignment,
  deleteAssignment,
  listAssignments,
  listClientUsers,
  listRoles,
} from './assignments.ts';

const tag = 'Accounts';
const ASSIGNMENTS = '/cloud/v1/users/assignments';

export const assignmentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/cloud/v1/users',
    tag,
    operationId: 'listCloudUsers',
    summary: 'List the users of the account, and who administers it',
    access: 'administer',
    query: ClientUsersQuery,
    response: ClientUserList,
    handler: (ctx, { query }) => listClientUsers(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/cloud/v1/users/roles',
    tag,
    summary: 'List the roles that can be assigned',
    access: 'read',
    deprecated: true,
    query: RolesQuery,
    response: AssignableRoleList,
    handler: async (_ctx, { query }) => listRoles(query),
  }),
  route({
    method: 'GET',
    path: ASSIGNMENTS,
    tag,
    summary: 'List assigned roles',
    access: 'administer',
    query: AssignmentsQuery,
    response: RoleAssignmentList,
    handler: (ctx, { query }) => listAssignments(ctx, query),
  }),
  route({
    method: 'POST',
    path: ASSIGNMENTS,
    tag,
    summary: 'Give a user a role in the account or in one project',
    description:
      'It adds to the role of the membership and counts with the next request. API tokens keep their own.',
    access: 'administer',
    body: RequestAssignment,
    response: RoleAssignment,
    handler: (ctx, { body }) => createAssignment(ctx, body),
  }),
  route({
    method: 'PATCH',
    path: `${ASSIGNMENTS}/{assignment_id}`,
    tag,
    summary: 'Change an assigned role',
    access: 'administer',
    params: AssignmentParams,
    body: RequestAssignment,
    response: AssignmentId,
    handler: (ctx, { params, body }) => changeAssignment(ctx, params.assignment_id, body),
  }),
  route({
    method: 'DELETE',
    path: `${ASSIGNMENTS}/{assignment_id}`,
    tag,
    summary: 'Remove an assigned role',
    access: 'administer',
    params: AssignmentParams,
    response: AssignmentId,
    handler: (ctx, { params }) => deleteAssignment(ctx, params.assignment_id),
  }),
];
