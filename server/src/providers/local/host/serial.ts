/** Runs actions with the same key one after the other, and others side by side. */
export class Serial {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, action: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(action);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return turn;
  }

  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  /** Resolves when everything that was begun has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}

/** Runs `action` for each item, at most `width` at a time. */
export async function eachAtMost<T>(
  width: number,
  items: readonly T[],
  action: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const runner = async () => {
    for (const item of queue) await action(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, runner));
}
