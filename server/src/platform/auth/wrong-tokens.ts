import { TooManyRequests, Unauthenticated } from '../../kernel/errors.ts';
import type { SharedCounts } from '../limits/shared-counts.ts';
import type { Caller } from './caller.ts';

/** Different ones, a minute and source, over all nodes. */
export const WRONG_TOKENS = 100;
const MAX_KNOWN = 10_000;

/** Slows down sources that guess tokens. A token that was looked at before is looked at in any case: nobody who works
 *  suffers from a neighbour behind the same address, and a program that goes on with a token that has ended gets that
 *  answer, and guesses nothing. */
export class WrongTokens {
  readonly #counts: SharedCounts;
  readonly #seen = new Set<string>();
  /** Being looked at for the first time: a burst of requests with one token is one guess. */
  readonly #requested = new Set<string>();

  constructor(counts: SharedCounts) {
    this.#counts = counts;
  }

  /** @param sourceOf finds out where the request came from
   *  @param authenticate looks the token up
   *  @throws TooManyRequests, or what `authenticate` throws */
  async guard(
    token: string | undefined,
    sourceOf: () => string,
    authenticate: () => Promise<Caller>,
  ): Promise<Caller> {
    if (token === undefined || this.#seen.has(token) || this.#requested.has(token)) return authenticate();
    const source = sourceOf();
    const { count, resetMs } = this.#counts.add(source);
    if (count > WRONG_TOKENS) throw new TooManyRequests(resetMs);
    this.#requested.add(token);
    try {
      const caller = await authenticate();
      this.#counts.add(source, -1);
      this.#note(token);
      return caller;
    } catch (error) {
      if (error instanceof Unauthenticated) this.#note(token);
      else this.#counts.add(source, -1);
      throw error;
    } finally {
      this.#requested.delete(token);
    }
  }

  #note(token: string): void {
    if (this.#seen.size >= MAX_KNOWN) this.#seen.clear();
    this.#seen.add(token);
  }
}
