import { TooManyRequests } from '../../kernel/errors.ts';

/** Slows down whoever guesses: after too many failures within a minute, further attempts are refused. */
export class Throttle {
  readonly #failures = new Map<string, { count: number; since: number }>();
  readonly #limit: number;
  readonly #windowMs = 60_000;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws TooManyRequests */
  check(key: string, now: number): void {
    const seen = this.#failures.get(key);
    if (!seen) return;
    const left = seen.since + this.#windowMs - now;
    if (left <= 0) this.#failures.delete(key);
    else if (seen.count >= this.#limit) throw new TooManyRequests(left);
  }

  failed(key: string, now: number): void {
    if (this.#failures.size > 10_000) this.#failures.clear();
    const seen = this.#failures.get(key);
    this.#failures.set(key, { count: (seen?.count ?? 0) + 1, since: seen?.since ?? now });
  }

  succeeded(key: string): void {
    this.#failures.delete(key);
  }
}
