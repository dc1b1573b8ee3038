import { Forbidden } from '../../../kernel/errors.ts';
import { MAX_MEMBERS } from '../members/schema.ts';
import type { LoadBalancerTree } from '../model.ts';
import { ALL_KINDS, KINDS, type PartKind, type PartRef, withBelongings } from './kinds.ts';
import type { NewRows } from './rows.ts';

/** How many parts a load balancer may have: its configuration, its memory and every answer about it stay of a size
 *  that can be worked with. */

interface Limit {
  readonly inAll: number;
  /** Of one part that it belongs to. */
  readonly ofOwner: number;
}

export const PART_LIMITS: Readonly<Record<PartKind, Limit>> = {
  listener: { inAll: 100, ofOwner: 100 },
  pool: { inAll: 100, ofOwner: 100 },
  member: { inAll: 5000, ofOwner: MAX_MEMBERS },
  monitor: { inAll: 100, ofOwner: 1 },
  policy: { inAll: 500, ofOwner: 100 },
  rule: { inAll: 1000, ofOwner: 200 },
};

const PLURALS: Readonly<Record<PartKind, string>> = {
  listener: 'listeners',
  pool: 'pools',
  member: 'members',
  monitor: 'health monitors',
  policy: 'L7 policies',
  rule: 'L7 rules',
};

/** The limits of a kind in words, for those who read the document. */
export function limitsInWords(kind: PartKind): string {
  const { inAll, ofOwner } = PART_LIMITS[kind];
  const { owner } = KINDS[kind];
  const plural = PLURALS[kind];
  return owner
    ? `${capital(withArticle(owner.kind))} has at most ${ofOwner} ${plural}, a load balancer ${inAll}.`
    : `A load balancer has at most ${inAll} ${plural}.`;
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const withArticle = (kind: PartKind) => {
  const { noun } = KINDS[kind];
  return noun.startsWith('L7') ? `an ${noun}` : `a ${noun.toLowerCase()}`;
};

/** @param tree what is there already; absent: nothing
 *  @throws Forbidden naming the limit that new parts would exceed */
export function refuseTooMany(
  rows: NewRows,
  tree?: LoadBalancerTree,
  removals: readonly PartRef[] = [],
): void {
  const removed = tree ? removals.flatMap((each) => withBelongings(tree, each)) : [];
  const gone = new Set(removed.map(({ id }) => id));
  for (const [kind, { rows: rowsOf, owner }] of ALL_KINDS) {
    const added = rows.of[kind];
    if (added.length === 0) continue;
    const { inAll, ofOwner } = PART_LIMITS[kind];
    const all = [...(tree ? rowsOf(tree) : []).filter(({ id }) => !gone.has(id)), ...added];
    if (all.length > inAll) refuse('A load balancer', inAll, kind);
    if (!owner) continue;
    const column = (row: object) => Reflect.get(row, owner.column);
    const counts = new Map<unknown, number>();
    for (const row of all) counts.set(column(row), (counts.get(column(row)) ?? 0) + 1);
    const isFull = added.some((row) => (counts.get(column(row)) ?? 0) > ofOwner);
    if (isFull) refuse(capital(withArticle(owner.kind)), ofOwner, kind);
  }
}

function refuse(who: string, limit: number, kind: PartKind): never {
  throw new Forbidden(`${who} has at most ${limit} ${PLURALS[kind]}; delete some first`);
}
