import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for, as it should read after "timed out waiting for"; a function says it as it is by then. */
  readonly what: string | (() => string);
  /** Default 20 ms. */
  readonly intervalMs?: number;
}

/** How long a test waits for what must happen: so long that a busy machine is no reason to fail. It is no promise of
 *  how fast anything is; what was quick enough is measured on a quiet machine by `npm run bench`. */
export const PATIENCE_MS = 180_000;

/**
 * Asks again and again until `probe` gives something other than undefined, null or false, and returns that.
 * A probe that throws counts as "not yet"; its last error is the cause of the time-out's error.
 * @throws when `PATIENCE_MS` are over
 */
export async function waitUntil<T>(
  probe: () => T | Promise<T>,
  options: WaitOptions,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + PATIENCE_MS;
  // A probe that never answers says no at the deadline.
  const late = delay(PATIENCE_MS, undefined, { ref: false });
  let lastError: unknown;
  for (;;) {
    try {
      const value = await Promise.race([probe(), late]);
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<T, undefined | null | false>;
      }
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) {
      const what = typeof options.what === 'string' ? options.what : options.what();
      throw new Error(`timed out after ${PATIENCE_MS} ms waiting for ${what}`, { cause: lastError });
    }
    await delay(options.intervalMs ?? 20);
  }
}
