import { Conflict } from '../../../kernel/errors.ts';
import type { LoadBalancerTree, MemberRow } from '../model.ts';
import type { PartRef } from '../parts/kinds.ts';
import { memberColumns, type NewRows } from '../parts/rows.ts';
import { differing } from '../parts/service.ts';
import type { PartPatch } from '../parts/store.ts';
import { memberKey } from './rules.ts';
import type { MemberOfList } from './schema.ts';

export interface Replacement {
  readonly patches: readonly PartPatch<'member'>[];
  readonly removals: readonly PartRef[];
}

/** Gives a pool exactly these members. Who is named by its id, or has the address and port of one of them, stays who
 *  it is, and takes over what differs; the others go. */
export function replaceMembers(
  tree: LoadBalancerTree,
  rows: NewRows,
  poolId: string,
  members: readonly MemberOfList[],
): Replacement {
  const present = new Set(tree.members.filter((row) => row.pool_id === poolId));
  // Ids first, so that two members that swap their addresses stay who they are.
  const named = new Map([...present].map((row) => [row.id, row]));
  const byId = members.map(({ id }) => named.get(id?.toLowerCase() ?? ''));
  for (const row of byId) if (row) present.delete(row);
  const byKey = new Map([...present].map((row) => [memberKey(row), row]));
  const patches: PartPatch<'member'>[] = [];
  for (const [index, { id: _named, ...member }] of members.entries()) {
    const row = byId[index] ?? byKey.get(memberKey(member));
    if (!row) {
      rows.addMember(poolId, member);
      continue;
    }
    present.delete(row);
    const columns = memberColumns(member);
    // Who is named by instance and address alone stays reached as before.
    const isNamedAlone = columns.subnet_id === null && columns.instance_id !== null;
    const keeps = isNamedAlone && columns.instance_id === row.instance_id ? { subnet_id: row.subnet_id } : {};
    const set = differing('member', row, { ...columns, ...keeps });
    if ('address' in set || 'protocol_port' in set) refuseHeld(tree, row, member);
    if (Object.keys(set).length > 0) patches.push({ id: row.id, set });
  }
  const removals = [...present].map(({ id }): PartRef => ({ kind: 'member', id }));
  return { patches, removals };
}

/** @throws Conflict when another member has the address and port, also one that goes with the same change */
function refuseHeld(tree: LoadBalancerTree, row: MemberRow, requested: MemberOfList): void {
  const key = memberKey(requested);
  const other = tree.members.find(
    (each) => each.pool_id === row.pool_id && each.id !== row.id && memberKey(each) === key,
  );
  if (!other) return;
  const { address, protocol_port: port } = requested;
  throw new Conflict(`${address} port ${port} is member ${other.id} still; change or remove that one first`);
}
