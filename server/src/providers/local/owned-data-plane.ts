import { join } from 'node:path';
import type { LocalAddresses } from './addresses/provider.ts';
import { rootsOf } from './load-balancers/engine-root.ts';
import type { LocalLoadBalancers } from './load-balancers/provider.ts';
import { daemonsUnder, programsUnder } from './load-balancers/strays.ts';
import type { OwnerFence } from './owner-fence.ts';

/** Where the others have what they run, in the folder of a region. */
const OTHERS = ['postgresql', 'object-storage', 'sftp-storage'];

/** Pids of all that runs for a region. @param folder of the region, without symbolic links; it may be gone */
function programsIn(folder: string): readonly number[] {
  const rootsIn = (name: string) => rootsOf(join(folder, name));
  return [
    ...rootsIn('load-balancers').flatMap((root) => daemonsUnder(root).map(({ pid }) => pid)),
    ...OTHERS.flatMap(rootsIn).flatMap(programsUnder),
  ];
}

/** What a local region does when its owner changes. */
export function createOwnedDataPlane(
  addresses: LocalAddresses,
  loadBalancers: LocalLoadBalancers,
  /** What else the region runs. */
  others: readonly { release(programs: 'leave' | 'stop'): Promise<void> }[],
  fence: OwnerFence,
  /** Of this region, in another data directory. */
  folderIn: (dataDir: string) => string,
) {
  return {
    fault: () => loadBalancers.unavailable(),
    programsOf: (dataDir: string) => programsIn(folderIn(dataDir)),
    takeOver: async (epoch: number, servedFrom: string | null) => {
      await fence.takeOver(epoch);
      if (servedFrom !== null) await addresses.claims.inherit(folderIn(servedFrom));
    },
    release: async (programs: 'leave' | 'stop') => {
      if (programs === 'stop')
        await fence
          .hold(() => Promise.all([loadBalancers, ...others].map((each) => each.release('stop'))))
          .catch(() => undefined);
      await fence.release();
      await loadBalancers.release('leave');
      for (const each of others) await each.release('leave');
      // They stay claimed until the next owner has them: free in between, another server might claim them.
      addresses.reread();
    },
  };
}
