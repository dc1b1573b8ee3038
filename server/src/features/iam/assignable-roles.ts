import { greaterRole, type Role } from '../../platform/auth/roles.ts';

/** Roles that are assigned to members beside the one of their membership. What counts is the most of them. */
export const ASSIGNABLE = ['ClientAdministrator', 'ProjectAdministrator', 'User', 'Observer'] as const;
export type AssignableRole = (typeof ASSIGNABLE)[number];

/** What each means; an administrator of a project administers that project alone. */
const MEANING: Readonly<Record<AssignableRole, Role>> = {
  ClientAdministrator: 'Administrators',
  ProjectAdministrator: 'Administrators',
  User: 'Engineers',
  Observer: 'Users',
};

/** Where a role can be assigned. */
export const SCOPES: Readonly<Record<AssignableRole, readonly ('client' | 'project')[]>> = {
  ClientAdministrator: ['client'],
  ProjectAdministrator: ['project'],
  User: ['client', 'project'],
  Observer: ['client', 'project'],
};

interface Assigned {
  readonly project_id: number | null;
  readonly role: AssignableRole;
}

/** The role in the client that a membership and assignments give together. */
export function clientRole(base: Role, assigned: readonly Assigned[]): Role {
  return assigned
    .filter(({ project_id }) => project_id === null)
    .reduce((most, { role }) => greaterRole(most, MEANING[role]), base);
}

/** The roles in single projects. */
export function projectRoles(assigned: readonly Assigned[]): ReadonlyMap<number, Role> {
  return new Map(
    assigned.flatMap(({ project_id, role }) => (project_id === null ? [] : [[project_id, MEANING[role]]])),
  );
}
