import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { converge } from '../host/converge.ts';
import type { Losses } from './losses.ts';
import { nextStep, type ServerObserved, type Step } from './next.ts';
import { makeFolders } from './paths.ts';
import type { Server } from './server.ts';
import { noteRead } from './server-files.ts';

/** What the primary of a cluster needs of it. */
export interface BringUpDeps {
  /** The servers as they are now. */
  servers(): { readonly primary: Server; readonly replica: Server };
  /** Brings the files of a server to what they should be. */
  write(server: Server, desired: DesiredCluster): void;
  readonly losses: Losses;
  /** Wall-clock time. */
  date(): Date;
  readonly log: { warn(details: object, message: string): void };
}

/** A replica that is to take over may take this long to end in order. */
const HAND_OVER_MS = 1_000;
/** As long as replaying the log of changes may take. */
const RESTORE_SECONDS = 1800;

/** Brings the primary of a cluster to let clients in. @returns what had to be done */
export function bringUp(
  deps: BringUpDeps,
  desired: DesiredCluster,
  binaries: string,
): Promise<readonly Step[]> {
  const { servers, losses } = deps;
  let isFenced = false;
  return converge<Parameters<typeof nextStep>[0], Step>({
    observe: () => {
      const { primary, replica } = servers();
      const { mayTakeOver = false, isTakingOver = false } = primary.notes ?? {};
      return {
        primary: observe(primary, losses),
        replica: observe(replica, losses),
        isFenced,
        mayTakeOver,
        isTakingOver,
      };
    },
    next: nextStep,
    steps: {
      'fence the replica': () => servers().replica.fence(),
      'fence the primary': async () => {
        await servers().primary.fence();
        isFenced = true;
      },
      'hand over': async () => handOver(deps, desired.id),
      'promote the primary': async () => {
        const { primary } = servers();
        await primary.stop(HAND_OVER_MS);
        await primary.fence();
        isFenced = true;
        primary.leaveStandby();
      },
      'start the primary': () => startPrimary(deps, desired, binaries),
      'let clients in': () => letIn(deps),
    },
  });
}

const observe = (server: Server, losses: Losses): ServerObserved => ({
  process: losses.isFrozen(server) ? 'frozen' : server.running() ? 'running' : 'none',
  isStandby: server.isStandby(),
});

/** From here on the other one is the primary, whatever happens. The old one is gone, and will be made anew. */
function handOver({ servers, log }: BringUpDeps, cluster: string): void {
  const { primary, replica } = servers();
  const { notes } = primary;
  if (!notes) return;
  const isPrimary = { primary: replica.paths.node, isTakingOver: true };
  primary.note({ ...notes, ...isPrimary, isSynchronous: false, mayTakeOver: false });
  log.warn({ cluster }, 'the replica takes over from a primary that was lost');
}

/** Until a server knows that commits have to wait, they do not: its replica has to prove itself anew. */
export async function startPrimary(
  { servers, write }: BringUpDeps,
  desired: DesiredCluster,
  binaries: string,
): Promise<void> {
  const { primary } = servers();
  makeFolders(primary.paths);
  const { notes } = primary;
  if (notes?.mayTakeOver) primary.note({ ...notes, mayTakeOver: false });
  write(primary, desired);
  await primary.start(binaries, primary.notes?.restore ? RESTORE_SECONDS : undefined);
  noteRead(primary);
}

/** A replica that became the primary has taken over once clients get in. */
async function letIn({ servers, date }: BringUpDeps): Promise<void> {
  const { primary } = servers();
  await primary.letIn();
  const { notes } = primary;
  if (!notes) return;
  const { isTakingOver: _, ...rest } = notes;
  primary.note({ ...rest, tookOverAt: date().toISOString() });
}
