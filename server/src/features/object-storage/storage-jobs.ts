import type { Clock } from '../../kernel/clock.ts';
import type { BackgroundJob } from '../../platform/feature.ts';
import { KEPT_USAGE_MS } from './count-usage.ts';

const KEEP_EVERY_MS = 1000;
const FORGET_EVERY_MS = 3_600_000;

/** What storages of one kind do in the background. */
interface Work {
  keep(): Promise<void>;
  /** Forgets what was used before a moment. */
  forget(before: Date): Promise<void>;
}

export const storageJobs = (name: string, clock: Clock, { keep, forget }: Work): readonly BackgroundJob[] => [
  // It works on the regions that this node owns, each of which is nobody else's.
  { name: `${name}-keep`, everyMs: KEEP_EVERY_MS, exclusive: false, afterTakeOver: true, run: keep },
  {
    name: `${name}-forget`,
    everyMs: FORGET_EVERY_MS,
    exclusive: true,
    run: () => forget(new Date(clock.now().getTime() - KEPT_USAGE_MS)),
  },
];
