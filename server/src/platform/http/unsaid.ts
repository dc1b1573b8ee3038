import { isDatabaseLost } from '../database/outage.ts';

const AGAIN_MS = 500;

/** What the database could not be told, since it was lost: it is told when it answers again. Only what was under way at
 *  the moment of the loss comes here; later requests fail before they begin. */
export class Unsaid {
  readonly #left = new Set<() => Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Says it now, or as soon as the database answers.
   *  @throws what else is wrong with it */
  async say(statement: () => Promise<void>): Promise<void> {
    try {
      await statement();
    } catch (error) {
      if (!isDatabaseLost(error)) throw error;
      this.#left.add(statement);
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
      await this.#sayAll();
      this.#timer = undefined;
      if (this.#left.size > 0) this.#plan();
    }, AGAIN_MS).unref();
  }

  async #sayAll(): Promise<void> {
    for (const statement of this.#left) {
      const isLost = await statement().then(() => false, isDatabaseLost);
      if (isLost) return;
      this.#left.delete(statement);
    }
  }
}
