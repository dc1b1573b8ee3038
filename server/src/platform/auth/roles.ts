/** What a token may do. `Users` read, `Engineers` also change infrastructure, `Administrators` also manage
 *  the account; an operator token runs the cloud itself and is no client's. */
export const ROLES = ['Administrators', 'Engineers', 'Users'] as const;
export type Role = (typeof ROLES)[number];

/** The ids that the wire shows for roles. */
export const ROLE_IDS: Readonly<Record<Role, number>> = { Users: 1, Administrators: 2, Engineers: 5 };

/** What a route asks for: `read` and `write` concern infrastructure, `self` the caller's own user,
 *  `administer` the account, `operate` the cloud. */
export type Access = 'read' | 'write' | 'self' | 'administer' | 'operate';
export const ACCESSES: readonly Access[] = ['read', 'write', 'self', 'administer', 'operate'];

const ALLOWED: Readonly<Record<Role | 'operator', readonly Access[]>> = {
  Users: ['read', 'self'],
  Engineers: ['read', 'self', 'write'],
  Administrators: ['read', 'self', 'write', 'administer'],
  operator: ['operate'],
};

export function allows(role: Role | 'operator', access: Access): boolean {
  return ALLOWED[role].includes(access);
}
