/** Does something again and again, with a pause in between, until it is stopped. */
export class Loop {
  readonly #everyMs: number;
  readonly #work: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  /** @param work never throws */
  constructor(everyMs: number, work: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#working = this.#work().then(() => {
        if (this.#timer) this.start();
      });
    }, this.#everyMs);
  }

  /** Waits for what is being done. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#working;
  }
}
