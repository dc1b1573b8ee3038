import { TaskFailed } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';
import { EngineFault } from './faults.ts';

/** What tasks do with what the cloud says. */

const SOON_MS = 500;
const LATEST_MS = 5_000;
const LONGEST_MS = 60_000;

export interface StepOptions {
  readonly log: Pick<Logger, 'warn'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** @returns what `work` says, or that the region is waited for
 *  @throws TaskFailed with the cloud's sentence when it will never do it */
export async function step<Result>(
  operation: Operation,
  { log, now }: StepOptions,
  work: () => Promise<Result>,
): Promise<Result | (Progress & { readonly ready: false })> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
    if (isTemporary(error)) {
      const what =
        error.kind === 'conflict'
          ? `waiting for another change: ${error.message}`
          : `waiting for the region: ${error.message}`;
      const pause = error.retryAfterMs ?? pauseOf(operation, now());
      return { ready: false, retryInMs: Math.min(Math.max(pause, SOON_MS), LONGEST_MS), step: what };
    }
    if (error.kind === 'quota') {
      log.warn({ err: error }, `the region has no room: ${error.message}`);
      throw new TaskFailed(`The region has no room for it: ${error.message}`);
    }
    throw new TaskFailed(error.message);
  }
}

/** Milliseconds until the next step: longer, the longer it takes. */
export function pauseOf({ acceptedAt }: Operation, now: number): number {
  return Math.min(LATEST_MS, Math.max(SOON_MS, (now - acceptedAt.getTime()) / 20));
}

/** Whether the same call may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof EngineFault)) return false;
  return ['unavailable', 'credentials', 'conflict', 'missing'].includes(error.kind);
}
