import type { ServingPhase } from '../../../features/managed-postgresql/port.ts';

/** What is there of a cluster: which of its servers is the primary is noted, whatever they do. */
export interface Observed {
  readonly primary: ServerObserved;
  readonly replica: ServerObserved;
  /** No process of the primary can do anything any more. */
  readonly isFenced: boolean;
  /** The replica has all that it must have. */
  readonly mayTakeOver: boolean;
  /** The primary was the replica, and has let nobody in yet. */
  readonly isTakingOver: boolean;
}

export interface ServerObserved {
  /** Frozen: it does nothing any more. */
  readonly process: 'none' | 'running' | 'frozen';
  /** Its data are those of a replica. */
  readonly isStandby: boolean;
}

export type Step =
  | 'fence the replica'
  | 'fence the primary'
  | 'hand over'
  | 'promote the primary'
  | 'start the primary'
  | 'let clients in';

/** What brings the primary to let clients in; null: it does. A primary that was lost can do nothing any more before
 *  anything else is decided, and its replica takes its place where it may. */
export function nextStep(observed: Observed): Step | null {
  const { primary, replica, isFenced, mayTakeOver, isTakingOver } = observed;
  if (replica.process === 'frozen') return 'fence the replica';
  if (primary.process !== 'running' && !isFenced) return 'fence the primary';
  if (primary.process === 'none' && mayTakeOver && replica.process === 'running' && replica.isStandby)
    return 'hand over';
  if (primary.isStandby) return 'promote the primary';
  if (primary.process === 'none') return 'start the primary';
  return isTakingOver ? 'let clients in' : null;
}

export interface Facts {
  /** Clients get in. */
  readonly isServing: boolean;
  readonly isTakingOver: boolean;
  /** Its storage is full. */
  readonly full: { readonly isClosed: boolean } | undefined;
  /** null: there is to be none. */
  readonly replica: { readonly hasData: boolean; readonly mayTakeOver: boolean } | null;
}

/** What a cluster is doing, in one word: what its clients feel most comes first. */
export function phaseOf({ isServing, isTakingOver, full, replica }: Facts): ServingPhase {
  if (isTakingOver) return 'taking_over';
  if (!isServing) return 'down';
  if (full) return full.isClosed ? 'closed' : 'read_only';
  if (replica === null || replica.mayTakeOver) return 'serving';
  return replica.hasData ? 'catching_up' : 'copying_replica';
}
