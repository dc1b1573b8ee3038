import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
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
const ASSIGNMENTS = plainPath(tag, '/cloud/v1/users/assignments');

export const assignmentRoutes: readonly Route[] = [
  plainPath(tag, '/cloud/v1/users').get({
    operationId: 'listCloudUsers',
    summary: 'List the users of the account, and who administers it',
    access: 'administer',
    query: ClientUsersQuery,
    response: ClientUserList,
    handler: (ctx, { query }) => listClientUsers(ctx, query),
  }),
  plainPath(tag, '/cloud/v1/users/roles').get({
    summary: 'List the roles that can be assigned',
    access: 'read',
    deprecated: true,
    query: RolesQuery,
    response: AssignableRoleList,
    handler: async (_ctx, { query }) => listRoles(query),
  }),
  ASSIGNMENTS.get({
    summary: 'List assigned roles',
    access: 'administer',
    query: AssignmentsQuery,
    response: RoleAssignmentList,
    handler: (ctx, { query }) => listAssignments(ctx, query),
  }),
  ASSIGNMENTS.post({
    summary: 'Give a user a role in the account or in one project',
    description:
      'It adds to the role of the membership and counts with the next request. API tokens keep their own.',
    access: 'administer',
    recentSignIn: true,
    body: RequestAssignment,
    response: RoleAssignment,
    handler: (ctx, { body }) => createAssignment(ctx, body),
  }),
  ASSIGNMENTS.at('{assignment_id}', AssignmentParams.properties).patch({
    summary: 'Change an assigned role',
    access: 'administer',
    recentSignIn: true,
    body: RequestAssignment,
    response: AssignmentId,
    handler: (ctx, { params, body }) => changeAssignment(ctx, params.assignment_id, body),
  }),
  ASSIGNMENTS.at('{assignment_id}', AssignmentParams.properties).delete({
    summary: 'Remove an assigned role',
    access: 'administer',
    recentSignIn: true,
    response: AssignmentId,
    handler: (ctx, { params }) => deleteAssignment(ctx, params.assignment_id),
  }),
];
