import { TooManyRequests } from '../../../kernel/errors.ts';

const AT_ONCE = 2;
const MOST_WAITING = 100;
const AGAIN_MS = 1000;

/** Lets programs judge what a request holds, a few at a time: whoever may ask could else start as many processes as
 *  they send requests. */
export class Checks {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @throws TooManyRequests when too many wait already */
  async run<T>(check: () => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running += 1;
    else if (this.#waiting.length >= MOST_WAITING) throw new TooManyRequests(AGAIN_MS);
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await check();
    } finally {
      // Whoever waits longest takes the place over.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

/** Those of this process. */
export const checks = new Checks();
