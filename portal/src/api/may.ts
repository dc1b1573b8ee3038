import { useCallback } from 'react';
import { type ApiCall, needsOf } from '../../../client/src/index.ts';
import { type Role, useSession } from './session.ts';

/** What may be pressed by whom. Each call says which role it needs, by the API's own document. */

export { needsOf };

/** What a call needs of who makes it. */
export type Needs = Pick<ApiCall, 'role' | 'project'>;

/** Who makes calls. */
export interface Who {
  readonly role: Role;
  readonly projectRoles: ReadonlyMap<number, Role>;
}

/** From the least to the most. */
const RANK: readonly Role[] = ['Users', 'Engineers', 'Administrators'];
const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** The role of somebody for a call that names a project, or none. */
export const roleIn = ({ role, projectRoles }: Who, project: number | undefined): Role =>
  (project === undefined ? undefined : projectRoles.get(project)) ?? role;

/** Why somebody may not make a call, and what to do about it; undefined: they may. What needs the operator's token is
 *  sent with that, whoever is signed in. */
export function lackOf(who: Who, { role: least, project }: Needs): string | undefined {
  const role = roleIn(who, project);
  if (least === 'operator' || RANK.indexOf(role) >= RANK.indexOf(least)) return undefined;
  const able = OR.format(RANK.slice(RANK.indexOf(least)));
  return `This needs the role ${able}; you have ${role}. An administrator of the account can change your role`;
}

/** Says of a call why who is signed in may not make it; undefined: they may. A call that is dear to prepare is given as
 *  a function: it is prepared only for those who may not do everything. */
export type May = (call: Needs | (() => Needs | undefined) | undefined) => string | undefined;

export function useMay(): May {
  const session = useSession();
  return useCallback(
    (call) => {
      if (call === undefined || session.state !== 'in' || session.role === 'Administrators') return undefined;
      const needs = typeof call === 'function' ? call() : call;
      return needs && lackOf(session, needs);
    },
    [session],
  );
}
