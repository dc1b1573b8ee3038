import type { Leftover } from '../../../kernel/leftover.ts';
import type { Fence, Programs } from './reconciler.ts';

/** Addresses of this machine. */
export interface HostAddresses {
  /** @returns whether any was missing
   *  @throws TaskFailed when the system refuses */
  add(addresses: readonly string[]): Promise<boolean>;
  remove(addresses: readonly string[]): Promise<void>;
}

/** What a region hands each of its engines. */
export interface EngineHost {
  /** Of the region, in the data directory of the node. */
  readonly dataDir: string;
  readonly log: { warn(details: object, message: string): void };
  readonly fence: Fence;
  /** A free address for what this engine serves. */
  readonly allocateAddress: (inUse: ReadonlySet<string>) => Promise<string>;
  /** Has addresses on their interfaces while they are served; those of the loopback network are there anyway. */
  readonly addresses: HostAddresses;
  /** Wall-clock time. */
  readonly now: () => Date;
}

/** What a region asks of each of its engines, whatever they run. */
export interface Engine {
  /** The name of its folder in that of the region. */
  readonly folder: string;
  /** Addresses of all that it has, whether it runs or not. */
  addresses(): readonly string[];
  /** What has a folder here. */
  kept(): readonly Leftover[];
  /** Whether it has files that do not move with the region. Asked with each renewal of the lease: names of folders tell. */
  hasData(): boolean;
  /** Removes all that something has here. Whoever calls keeps all other processes from changing the region meanwhile. */
  clear(id: string): Promise<void>;
  /** Leaves its programs to another process, or ends them. It may work again afterwards. */
  release(programs: Programs): Promise<void>;
  /** The same, for good. */
  close(programs: Programs): Promise<void>;
}

/** Why something does not serve that was made on another machine of its region.
 *  @param what "cluster", "storage" */
export const madeElsewhere = (what: string): string =>
  `The machine that serves the region now does not have the data of this ${what}: it serves again when the machine that has them serves the region`;
