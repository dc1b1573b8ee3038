import type { Fence, Programs } from './reconciler.ts';

/** What a region hands each of its engines. */
export interface EngineHost {
  /** Of the region, in the data directory of the node. */
  readonly dataDir: string;
  readonly log: { warn(details: object, message: string): void };
  readonly fence: Fence;
  /** A free address of this machine. */
  readonly allocateAddress: (inUse: ReadonlySet<string>) => Promise<string>;
  /** Wall-clock time. */
  readonly now: () => Date;
}

/** What a region asks of each of its engines, whatever they run. */
export interface Engine {
  /** The name of its folder in that of the region. */
  readonly folder: string;
  /** Addresses of all that it has, whether it runs or not. */
  addresses(): readonly string[];
  /** Leaves its programs to another process, or ends them. It may work again afterwards. */
  release(programs: Programs): Promise<void>;
  /** The same, for good. */
  close(programs: Programs): Promise<void>;
}
