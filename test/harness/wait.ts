import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for, as it should read after "timed out waiting for". */
  readonly what: string;
  /** Default 10,000 ms. */
  readonly timeoutMs?: number;
  /** Default 20 ms. */
  readonly intervalMs?: number;
}

/**
 * Asks again and again until `probe` gives something other than undefined, null or false, and returns that.
 * A probe that throws counts as "not yet"; its last error is the cause of the time-out's error.
 * @throws when `timeoutMs` is over
 */
export async function waitUntil<T>(
  probe: () => T | Promise<T>,
  options: WaitOptions,
): Promise<Exclude<T, undefined | null | false>> {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<T, undefined | null | false>;
      }
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`timed out after ${timeoutMs} ms waiting for ${options.what}`, { cause: lastError });
    }
    await delay(options.intervalMs ?? 20);
  }
}
