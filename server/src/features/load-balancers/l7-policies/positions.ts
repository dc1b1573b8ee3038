/** Positions of the L7 policies of a listener: from 1 upwards without gaps. */

interface Positioned {
  readonly id: string;
  readonly position: number;
}

export interface Move {
  readonly id: string;
  readonly position: number;
}

/** In the order of their positions. */
export function inOrder<Row extends Positioned>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
}

/** Where a new policy comes to stand: at the position asked for, or behind the last one.
 *  @returns its position, and which others move for it */
export function positionNew(
  rows: readonly Positioned[],
  requested: number | undefined,
): { position: number; moves: Move[] } {
  const last = rows.length + 1;
  const position = Math.min(requested ?? last, last);
  const ids = inOrder(rows).map(({ id }) => id);
  return { position, moves: moved(rows, [...ids.slice(0, position - 1), '', ...ids.slice(position - 1)]) };
}

/** Which policies move when one of them is to stand elsewhere. */
export function positionAgain(rows: readonly Positioned[], id: string, requested: number): Move[] {
  const others = inOrder(rows)
    .map((row) => row.id)
    .filter((other) => other !== id);
  return moved(rows, [...others.slice(0, requested - 1), id, ...others.slice(requested - 1)]);
}

/** Which policies move when one of them goes. */
export function closeGap(rows: readonly Positioned[], id: string): Move[] {
  const left = rows.filter((row) => row.id !== id);
  return moved(
    left,
    inOrder(left).map((row) => row.id),
  );
}

/** @param ids all policies as they shall stand */
function moved(rows: readonly Positioned[], ids: readonly string[]): Move[] {
  const before = new Map(rows.map((row) => [row.id, row.position]));
  return ids.flatMap((id, index) =>
    before.has(id) && before.get(id) !== index + 1 ? [{ id, position: index + 1 }] : [],
  );
}
