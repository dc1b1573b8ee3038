import type { Leftover } from '../../kernel/leftover.ts';

/** A region whose programs run on a machine: only one node at a time may work on it. */
export interface OwnedRegion {
  readonly id: number;
  readonly name: string;
  /** What is asked of it when its owner changes. */
  readonly data: OwnedDataPlane;
}

export interface OwnedDataPlane {
  /** Why it cannot serve here and now, or null. */
  fault(): Promise<string | null>;
  /** Pids of its programs on this machine that were started from this data directory. */
  programsOf(dataDir: string): readonly number[];
  /** Whether another machine answers for addresses, which can be seen without the database.
   *  @param addresses of the region, which this machine need not have; absent: those that it has
   *  @returns undefined when none could be asked for */
  isElsewhere(addresses?: readonly string[]): Promise<boolean | undefined>;
  /** From now on this process works on it, and no process that did so in an earlier epoch can any more.
   *  @param servedFrom the data directory from which it was served last, maybe on another machine; null: none yet */
  takeOver(epoch: number, servedFrom: string | null): Promise<void>;
  /** Another one works on it now. `leave`: with the programs as they are; `stop`: with programs of its own, and
   *  those that are here have to end. */
  release(programs: 'leave' | 'stop'): Promise<void>;
  /** What has files in this data directory. */
  kept(): readonly Leftover[];
  /** Whether some of that does not move with the region. Quick, however much there is. */
  hasData(): boolean;
  /** Of the region, on interfaces of this machine: at them others can ask whether it is there. */
  addresses(): readonly string[];
  /** Removes what is here of resources that were deleted.
   *  @param elsewhere the epoch in which another machine serves the region: its addresses go from here, too; null: this
   *    process serves it
   *  @returns what was removed; nothing when the region has come here meanwhile */
  clear(deleted: readonly Leftover[], elsewhere: number | null): Promise<readonly Leftover[]>;
}

/** Who this node is. */
export interface NodeIdentity {
  /** Of the machine; the same for every node on it. */
  readonly name: string;
  /** Without symbolic links. */
  readonly dataDir: string;
  /** Its database is in its data directory: no other node can have it. */
  readonly alone: boolean;
}
