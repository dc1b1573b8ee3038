import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeGap, inOrder, type Move, positionAgain, positionNew } from './positions.ts';

interface Positioned {
  readonly id: string;
  readonly position: number;
}

const apply = (rows: readonly Positioned[], moves: readonly Move[]): Positioned[] =>
  rows.map((row) => ({ ...row, ...moves.find(({ id }) => id === row.id) }));

const idsOf = (rows: readonly Positioned[]) => inOrder(rows).map(({ id }) => id);

/** Policies a, b, c, … at 1, 2, 3, … */
const listed = (count: number): Positioned[] =>
  Array.from({ length: count }, (_, index) => ({
    id: String.fromCharCode(97 + index),
    position: index + 1,
  }));

test('whatever comes, moves and goes: positions run from 1 without gaps, and the others keep their order', () => {
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('new', 'move', 'go'),
      whom: fc.nat(),
      to: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      let rows = listed(3);
      let next = 0;
      for (const { what, whom, to } of all) {
        const before = idsOf(rows);
        const { id } = rows[whom % Math.max(1, rows.length)] ?? { id: '' };
        if (what === 'new') {
          const { position, moves } = positionNew(rows, to);
          const fresh = { id: `n${next++}`, position };
          expect(position).toBe(Math.min(to ?? rows.length + 1, rows.length + 1));
          rows = [...apply(rows, moves), fresh];
          expect(idsOf(rows).filter((each) => each !== fresh.id)).toEqual(before);
        } else if (what === 'move' && id !== '') {
          const requested = Math.min(to ?? 1, rows.length);
          rows = apply(rows, positionAgain(rows, id, requested));
          expect(rows.find((row) => row.id === id)?.position).toBe(requested);
          expect(idsOf(rows).filter((each) => each !== id)).toEqual(before.filter((each) => each !== id));
        } else if (id !== '') {
          rows = apply(
            rows.filter((row) => row.id !== id),
            closeGap(rows, id),
          );
          expect(idsOf(rows)).toEqual(before.filter((each) => each !== id));
        }
        expect(inOrder(rows).map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
      }
    }),
  );
});

test('only those move that must', () => {
  expect(positionNew(listed(3), 3).moves).toEqual([{ id: 'c', position: 4 }]);
  expect(positionNew(listed(3), undefined)).toEqual({ position: 4, moves: [] });
  expect(positionAgain(listed(4), 'b', 3)).toEqual([
    { id: 'c', position: 2 },
    { id: 'b', position: 3 },
  ]);
});
