import type { Transitions } from '../../kernel/transitions.ts';

/** Which state may follow which. */

export type ClusterStatus = 'Provisioning' | 'Provisioned' | 'Deleting';
export type PoolState = 'ACTIVE' | 'DELETING';
export const NODE_STATES = ['BUILDING', 'READY', 'UNREADY', 'REMOVING'] as const;
export type NodeState = (typeof NODE_STATES)[number];

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
