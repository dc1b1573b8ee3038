interface Batch<Key, Value> {
  readonly keys: Set<Key>;
  readonly found: Promise<ReadonlyMap<Key, Value>>;
  readonly load: () => Promise<unknown>;
}

/** Look-ups by key that share statements: those asked for while one is under way go together in the next. Each sees
 *  everything that was committed before it was asked for, as with a statement of its own. */
export class SharedLookUp<Key, Value> {
  readonly #load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  #waiting: Batch<Key, Value> | undefined;
  #running = false;

  /** @param load finds those of the keys that there are */
  constructor(load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>) {
    this.#load = load;
  }

  /** @throws what `load` throws, to all that shared it */
  async get(key: Key): Promise<Value | undefined> {
    this.#waiting ??= this.#newBatch();
    const batch = this.#waiting;
    batch.keys.add(key);
    if (!this.#running) void this.#run();
    return (await batch.found).get(key);
  }

  #newBatch(): Batch<Key, Value> {
    const keys = new Set<Key>();
    let start = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const found = started.then(() => this.#load([...keys]));
    const load = () => {
      start();
      return found.catch(() => undefined);
    };
    return { keys, found, load };
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting) {
      // What is asked for at the same moment goes along.
      await Promise.resolve();
      const batch = this.#waiting;
      this.#waiting = undefined;
      await batch.load();
    }
    this.#running = false;
  }
}

/** Rows by one of their columns, for `load`. */
export function byKey<Row, K extends keyof Row>(rows: readonly Row[], key: K): ReadonlyMap<Row[K], Row> {
  return new Map(rows.map((row) => [row[key], row]));
}
