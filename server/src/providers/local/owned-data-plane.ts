import { join } from 'node:path';
import type { LocalAddresses } from './addresses/provider.ts';
import { rootsOf } from './host/engine-root.ts';
import type { OwnerFence } from './host/owner-fence.ts';
import type { Programs } from './host/reconciler.ts';
import { programsUnder } from './host/strays.ts';

/** Where engines have what they run, in the folder of a region. */
const ENGINES = ['load-balancers', 'postgresql', 'object-storage', 'sftp-storage', 'kubernetes'];

/** Pids of all that runs for a region. @param folder of the region, without symbolic links; it may be gone */
const programsIn = (folder: string): readonly number[] =>
  ENGINES.flatMap((name) => rootsOf(join(folder, name)))
    .flatMap(programsUnder)
    .map(({ pid }) => pid);

/** What runs the resources of one kind. */
interface Engine {
  /** Leaves its programs to another process, or ends them. */
  release(programs: Programs): Promise<void>;
}

interface OwnedParts {
  readonly addresses: LocalAddresses;
  readonly engines: readonly Engine[];
  readonly fence: OwnerFence;
  /** Why the region cannot serve here, or null. */
  fault(): Promise<string | null>;
  /** The folder of this region in a data directory. */
  folderIn(dataDir: string): string;
}

/** What a local region does when its owner changes. */
export function createOwnedDataPlane({ addresses, engines, fence, fault, folderIn }: OwnedParts) {
  return {
    fault,
    programsOf: (dataDir: string) => programsIn(folderIn(dataDir)),
    takeOver: async (epoch: number, servedFrom: string | null) => {
      await fence.takeOver(epoch);
      if (servedFrom !== null) await addresses.claims.inherit(folderIn(servedFrom));
    },
    release: async (programs: Programs) => {
      if (programs === 'stop')
        await fence
          .hold(() => Promise.all(engines.map((each) => each.release('stop'))))
          .catch(() => undefined);
      await fence.release();
      for (const each of engines) await each.release('leave');
      // They stay claimed until the next owner has them: free in between, another server might claim them.
      addresses.reread();
    },
  };
}
