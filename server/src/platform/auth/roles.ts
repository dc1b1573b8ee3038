/** What a token may do. `Users` read, `Engineers` also change infrastructure, `Administrators` also manage
 *  the account; an operator token runs the cloud itself and is no client's; a reporter's sends what was used. */
export const ROLES = ['Administrators', 'Engineers', 'Users'] as const;
export type Role = (typeof ROLES)[number];

/** What a token can be; people have one of `ROLES`. */
export type TokenRole = Role | 'operator' | 'reporter';
export const TOKEN_ROLES: readonly TokenRole[] = [...ROLES, 'operator', 'reporter'];

/** Whether it is a role of people. */
export const isRole = (role: TokenRole): role is Role => (ROLES as readonly string[]).includes(role);

/** The ids that the wire shows for roles. */
export const ROLE_IDS: Readonly<Record<Role, number>> = { Users: 1, Administrators: 2, Engineers: 5 };

/** What a route asks for: `read` and `write` concern infrastructure, `self` the caller's own user,
 *  `administer` the account, `operate` the cloud, `report` what was used. */
export type Access = 'read' | 'write' | 'self' | 'administer' | 'operate' | 'report';
export const ACCESSES: readonly Access[] = ['read', 'write', 'self', 'administer', 'operate', 'report'];

const ALLOWED: Readonly<Record<TokenRole, readonly Access[]>> = {
  Users: ['read', 'self'],
  Engineers: ['read', 'self', 'write'],
  Administrators: ['read', 'self', 'write', 'administer'],
  operator: ['operate', 'report'],
  reporter: ['report'],
};

/** Whether the operation is for tokens alone: no client's user has a role that allows it. */
export const isForTokens = (access: Access): boolean => !ROLES.some((role) => allows(role, access));

export function allows(role: TokenRole, access: Access): boolean {
  return ALLOWED[role].includes(access);
}

const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** What a caller lacks for an operation, in words.
 *  @param isPerson whether somebody signed in, rather than an API token */
export function lackOf(role: TokenRole, access: Access, isPerson = false): string {
  if (access === 'operate') return 'This call needs the operator token';
  if (access === 'report') return 'This call needs the operator token, or the token of an edge';
  const able = ROLES.filter((each) => allows(each, access)).sort((a, b) => RANK.indexOf(a) - RANK.indexOf(b));
  const who = isPerson ? `you have ${role}` : `this token has ${role}`;
  const has = isRole(role)
    ? who
    : `this is the ${role === 'operator' ? 'operator token' : 'token of an edge'}`;
  return `This call needs the role ${OR.format(able)}; ${has}`;
}

/** From the least to the most. */
const RANK: readonly Role[] = ['Users', 'Engineers', 'Administrators'];

export function lesserRole(a: Role, b: Role): Role {
  return RANK.indexOf(a) < RANK.indexOf(b) ? a : b;
}

/** Roles that allow more than this one. */
export const rolesAbove = (role: Role): readonly Role[] =>
  ROLES.filter((each) => RANK.indexOf(each) > RANK.indexOf(role));

export function greaterRole(a: Role, b: Role): Role {
  return RANK.indexOf(a) < RANK.indexOf(b) ? b : a;
}

/** Whether a role may do all that another one may. */
export function includes(role: TokenRole, other: TokenRole): boolean {
  return ALLOWED[other].every((access) => allows(role, access));
}
