import type { Faults } from '../../../kernel/faults.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { type InstanceDeps, placeOf } from '../access.ts';

/** Security groups as bodies name them. */
export type NamedGroups = readonly { readonly id: string }[];

/** Adds a fault for every security group that the project does not have.
 *  @param named by the field that names them */
export async function checkGroups(
  deps: Pick<InstanceDeps, 'findSecurityGroups'>,
  tx: Tx,
  ctx: RegionContext,
  named: Readonly<Record<string, NamedGroups | undefined>>,
  faults: Faults,
): Promise<void> {
  const ids = new Set(Object.values(named).flatMap((groups) => groups?.map(({ id }) => id) ?? []));
  if (ids.size === 0) return;
  const known = await deps.findSecurityGroups(tx, [...ids], placeOf(ctx));
  for (const [field, groups = []] of Object.entries(named)) {
    for (const [index, { id }] of groups.entries()) {
      if (!known.has(id)) faults.add(`${field}.${index}.id`, `there is no security group ${id}`);
    }
  }
}
