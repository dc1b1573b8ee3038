import { Conflict } from '../../kernel/errors.ts';

/** Which state may follow which: one table for each resource, and the two ways to hold to it. */

export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>;

export type ClusterStatus = 'Provisioning' | 'Provisioned' | 'Deleting';
export type PoolState = 'ACTIVE' | 'DELETING';
export type NodeState = 'BUILDING' | 'READY' | 'UNREADY' | 'REMOVING';

export const CLUSTER_TRANSITIONS: Transitions<ClusterStatus> = {
  Provisioning: ['Provisioned'],
  // To itself: a change of settings or pools, during which the cluster can be used.
  Provisioned: ['Provisioned', 'Provisioning', 'Deleting'],
  // Back when a deletion had to be given up.
  Deleting: ['Provisioned'],
};

export const POOL_TRANSITIONS: Transitions<PoolState> = {
  ACTIVE: ['DELETING'],
  // Back when the deletion had to be given up.
  DELETING: ['ACTIVE'],
};

/** The row of a node that was removed goes with it. */
export const NODE_TRANSITIONS: Transitions<NodeState> = {
  BUILDING: ['READY', 'REMOVING'],
  READY: ['UNREADY', 'REMOVING'],
  UNREADY: ['READY', 'REMOVING'],
  REMOVING: [],
};

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
