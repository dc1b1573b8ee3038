import { EngineFault } from './faults.ts';

/** Failures in a row after which nothing is asked for a while. */
const PATIENCE = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface BreakerOptions {
  /** Milliseconds, on a clock that never goes back. */
  readonly now: () => number;
  /** 0 to 1, so that several nodes do not come back in the same moment. */
  readonly random: () => number;
}

/** Keeps calls away from a service that does not answer: after some failures nothing is asked but one probe after each
 *  pause, which become longer. */
export class Breaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #reason = '';
  #opensAt = 0;
  #isProbing = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** Why nothing is asked at present, or null. */
  get fault(): string | null {
    return this.#failures >= PATIENCE ? this.#reason : null;
  }

  /** @throws EngineFault while nothing may be asked */
  enter(): void {
    if (this.fault === null) return;
    const left = this.#opensAt - this.#options.now();
    if (left > 0 || this.#isProbing) {
      throw new EngineFault('unavailable', 0, this.#reason, Math.max(left, FIRST_PAUSE_MS));
    }
    this.#isProbing = true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isProbing = false;
  }

  /** @param reason for the user to read */
  failed(reason: string): void {
    this.#failures++;
    this.#reason = reason;
    this.#isProbing = false;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#failures - PATIENCE));
    this.#opensAt = this.#options.now() + pause * (0.5 + this.#options.random() / 2);
  }

  /** What is known to be at fault needs no more attempts. */
  trip(reason: string): void {
    this.#failures = Math.max(this.#failures, PATIENCE - 1);
    this.failed(reason);
  }
}
