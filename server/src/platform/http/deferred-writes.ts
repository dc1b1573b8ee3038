import { isDatabaseLost } from '../database/outage.ts';

const RETRY_MS = 500;

/** Writes that failed since the database was lost: they are retried until it answers again. Only what was under way at
 *  the moment of the loss comes here; later requests fail before they begin. */
export class DeferredWrites {
  readonly #failed = new Set<() => Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Runs a write now, or as soon as the database answers.
   *  @throws what else is wrong with it */
  async run(statement: () => Promise<void>): Promise<void> {
    try {
      await statement();
    } catch (error) {
      if (!isDatabaseLost(error)) throw error;
      this.#failed.add(statement);
      this.#plan();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    if (this.#isClosed || this.#timer) return;
    this.#timer = setTimeout(async () => {
      await this.#retryAll();
      this.#timer = undefined;
      if (this.#failed.size > 0) this.#plan();
    }, RETRY_MS).unref();
  }

  async #retryAll(): Promise<void> {
    for (const statement of this.#failed) {
      const isLost = await statement().then(() => false, isDatabaseLost);
      if (isLost) return;
      this.#failed.delete(statement);
    }
  }
}
