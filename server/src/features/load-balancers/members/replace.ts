import type { LoadBalancerTree } from '../model.ts';
import type { PartRef } from '../parts/kinds.ts';
import { memberColumns, type NewRows } from '../parts/rows.ts';
import { differing } from '../parts/service.ts';
import type { PartPatch } from '../parts/store.ts';
import { memberKey } from './rules.ts';
import type { MemberInput } from './schema.ts';

export interface Replacement {
  readonly patches: readonly PartPatch[];
  readonly removals: readonly PartRef[];
  readonly added: readonly string[];
}

/** Gives a pool exactly these members. Who has the address and port of one of them stays who it is, and takes
 *  over what differs; the others go. */
export function replaceMembers(
  tree: LoadBalancerTree,
  rows: NewRows,
  poolId: string,
  members: readonly MemberInput[],
): Replacement {
  const present = new Map(
    tree.members.filter((row) => row.pool_id === poolId).map((row) => [memberKey(row), row]),
  );
  const patches: PartPatch[] = [];
  const added: string[] = [];
  for (const member of members) {
    const key = memberKey(member);
    const row = present.get(key);
    present.delete(key);
    if (!row) {
      added.push(rows.addMember(poolId, member));
      continue;
    }
    const { address: _same, ...columns } = memberColumns(member);
    // Who is named by instance and address alone stays reached as before.
    const isNamedAlone = columns.subnet_id === null && columns.instance_id !== null;
    const keeps = isNamedAlone && columns.instance_id === row.instance_id ? { subnet_id: row.subnet_id } : {};
    const set = differing(row, { ...columns, ...keeps });
    if (Object.keys(set).length > 0) patches.push({ id: row.id, set });
  }
  const removals = [...present.values()].map(({ id }): PartRef => ({ kind: 'member', id }));
  return { patches, removals, added };
}
