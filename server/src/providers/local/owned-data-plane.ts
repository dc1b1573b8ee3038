import { join } from 'node:path';
import type { LocalAddresses } from './addresses/provider.ts';
import type { Engine } from './host/engine.ts';
import { rootsOf } from './host/engine-root.ts';
import type { OwnerFence } from './host/owner-fence.ts';
import type { Programs } from './host/reconciler.ts';
import { programsUnder } from './host/strays.ts';

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
    /** Pids of all that runs for the region from a data directory, which may be gone. */
    programsOf: (dataDir: string) =>
      engines
        .flatMap(({ folder }) => rootsOf(join(folderIn(dataDir), folder)))
        .flatMap(programsUnder)
        .map(({ pid }) => pid),
    isElsewhere: () => addresses.isElsewhere(),
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
