import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../kernel/log.ts';

/** What happens to running data planes when this process ends; `as before`: what ran before its start goes on. */
export type Programs = 'leave' | 'stop' | 'as before';

/** Something to undo at the end. */
export type Closer = ((programs: Programs) => Promise<unknown> | unknown) & { readonly patienceMs?: number };
/** What comes before the end: the probes say that this node is not ready, and everybody is still answered. */
export interface Drain {
  /** @param signal that it shall be over now */
  begin: (signal: AbortSignal) => Promise<void>;
}
/** Last one first. */
export type Closers = Closer[];

/** However busy or stuck something is, the process has ended after this, once it is drained. */
const STOP_MS = 30_000;
/** All else has this long together, so that the data planes and PostgreSQL always have their own time. */
const PATIENCE_MS = 11_000;

/** Closes everything once, however often it is asked, and ends the process. */
export function stopper(
  closers: Closers,
  drain: Drain,
  log: Logger,
): (code: number, programs: Programs) => Promise<void> {
  let stopping = false;
  const hurry = new AbortController();
  return async (code, programs) => {
    // A second signal: whoever sends it does not want to wait for proxies.
    if (stopping) return hurry.abort();
    stopping = true;
    await drain.begin(hurry.signal);
    setTimeout(() => {
      log.error('stopping took too long; ending now');
      process.exit(1);
    }, STOP_MS);
    const since = performance.now();
    for (const close of [...closers].reverse()) {
      const rest = Math.max(100, PATIENCE_MS - (performance.now() - since));
      try {
        await Promise.race([close(programs), delay(close.patienceMs ?? rest)]);
      } catch (error) {
        log.error({ err: error }, 'could not close cleanly');
      }
    }
    process.exit(code);
  };
}
