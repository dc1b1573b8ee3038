import { Conflict } from './errors.ts';

/** Which state may follow which: one table for each resource, and the two ways to hold to it. `docs/states.md` draws
 *  the tables. */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>;

/** @throws Conflict when the table does not allow it */
export function requireTransition<State extends string>(
  what: string,
  table: Transitions<State>,
  from: State,
  to: State,
): void {
  if (!table[from].includes(to)) throw new Conflict(`${what} is ${from} and cannot become ${to}`);
}

/** The states from which one may come: the `where` of the statement that writes it. */
export function statesBefore<State extends string>(table: Transitions<State>, to: State): State[] {
  return (Object.keys(table) as State[]).filter((from) => table[from].includes(to));
}
