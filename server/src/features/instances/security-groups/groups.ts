import type { Faults } from '../../../kernel/faults.ts';
import type { Queryable } from '../../../platform/database/db.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { defaultSecurityGroup, findSecurityGroups } from '../../security-groups/index.ts';

/** Security groups as bodies name them. */
export type NamedGroups = readonly { readonly id: string }[];

/** Adds a fault for every security group that the project does not have.
 *  @param named by the field that names them */
export async function checkGroups(
  tx: Queryable,
  ctx: RegionContext,
  named: Readonly<Record<string, NamedGroups | undefined>>,
  faults: Faults,
): Promise<void> {
  const ids = new Set(
    Object.values(named).flatMap((groups) => groups?.map(({ id }) => id.toLowerCase()) ?? []),
  );
  if (ids.size === 0) return;
  const known = await findSecurityGroups(tx, [...ids], ctx.scope);
  for (const [field, groups = []] of Object.entries(named)) {
    for (const [index, { id }] of groups.entries()) {
      if (!known.has(id.toLowerCase()))
        faults.add(`${field}.${index}.id`, `security group ${id} was not found`);
    }
  }
}

/** The groups of a new port, or undefined for a reserved one, which keeps those that it has.
 *  @param named what the body names; undefined: the project's default group */
export async function groupsOfNewPort(
  tx: Queryable,
  ctx: RegionContext,
  type: string,
  named: NamedGroups | undefined,
): Promise<readonly string[] | undefined> {
  if (named) return [...new Set(named.map(({ id }) => id.toLowerCase()))];
  if (type === 'reserved_fixed_ip') return undefined;
  const usual = await defaultSecurityGroup(tx, ctx.scope);
  return usual === undefined ? [] : [usual];
}
