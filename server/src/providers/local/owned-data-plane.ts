import type { LocalLoadBalancers } from './load-balancers/provider.ts';
import type { OwnerFence } from './owner-fence.ts';

/** What a local region does when its owner changes. */
export function createOwnedDataPlane(
  loadBalancers: LocalLoadBalancers,
  fence: OwnerFence,
  /** Of this region, in another data directory. */
  folderIn: (dataDir: string) => string,
) {
  return {
    fault: () => loadBalancers.unavailable(),
    programsOf: (dataDir: string) => loadBalancers.programsOf(folderIn(dataDir)),
    takeOver: (epoch: number) => fence.takeOver(epoch),
    letGo: async (programs: 'leave' | 'stop') => {
      if (programs === 'stop') await fence.hold(() => loadBalancers.letGo('stop')).catch(() => undefined);
      await fence.letGo();
      await loadBalancers.letGo('leave');
    },
  };
}
