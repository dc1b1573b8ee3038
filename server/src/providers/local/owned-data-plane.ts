import { join } from 'node:path';
import type { Leftover } from '../../kernel/leftover.ts';
import type { LocalAddresses } from './addresses/provider.ts';
import type { Engine } from './host/engine.ts';
import { rootsOf } from './host/engine-root.ts';
import { NotOwner, type OwnerFence } from './host/owner-fence.ts';
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
  const stopAll = async (): Promise<void> => {
    const ended = await Promise.allSettled(engines.map((each) => each.release('stop')));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  };
  const engineOf = ({ kind, id }: Leftover): Engine | undefined =>
    engines.find((each) => each.kept().some((one) => one.kind === kind && one.id === id));
  return {
    fault,
    /** Pids of all that runs for the region from a data directory, which may be gone. */
    programsOf: (dataDir: string) =>
      engines
        .flatMap(({ folder }) => rootsOf(join(folderIn(dataDir), folder)))
        .flatMap(programsUnder)
        .map(({ pid }) => pid),
    isElsewhere: (others?: readonly string[]) => addresses.isElsewhere(others),
    takeOver: async (epoch: number, servedFrom: string | null) => {
      await fence.takeOver(epoch);
      if (servedFrom !== null) await addresses.claims.inherit(folderIn(servedFrom));
    },
    release: async (programs: Programs) => {
      try {
        // What is being looked at would be started again.
        if (programs === 'stop') await fence.finish(stopAll);
      } catch (error) {
        if (!(error instanceof NotOwner)) throw error;
      } finally {
        await fence.release();
        for (const each of engines) await each.release('leave');
        // They stay claimed until the next owner has them: free in between, another server might claim them.
        addresses.reread();
      }
    },
    kept: () => engines.flatMap((each) => each.kept()),
    hasData: () => engines.some((each) => each.hasData()),
    addresses: () => addresses.external(),
    clear: async (deleted: readonly Leftover[], elsewhere: number | null): Promise<readonly Leftover[]> => {
      const alone = (change: () => Promise<unknown>): Promise<boolean> =>
        elsewhere === null ? fence.hold(change).then(() => true) : fence.aside(elsewhere, change);
      const removed: Leftover[] = [];
      for (const each of deleted)
        if (await alone(async () => engineOf(each)?.clear(each.id))) removed.push(each);
      if (elsewhere !== null && addresses.hasExternal()) await alone(() => addresses.leaveExternal());
      return removed;
    },
  };
}
