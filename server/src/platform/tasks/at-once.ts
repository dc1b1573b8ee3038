import type { ClaimedTask } from './queue.ts';

/** How a task is claimed by the statement that records it. */
export interface Room {
  /** Who has to own its region; null: nobody may. */
  readonly owner: string | null;
  readonly leaseMs: number;
  /** The process that claims it: `machine:pid`. */
  readonly node: string;
}

/** The worker of the node that accepts a task: with room for it, it claims the task in the transaction that records
 *  it, so that nobody has to look for it. */
export interface AtOnce {
  /** @returns undefined: the task is recorded as due, and whoever has room claims it */
  room(regionId: number | null): Room | undefined;
  /** Begins with a task that was claimed so, once that is committed. */
  begin(task: ClaimedTask): void;
}
