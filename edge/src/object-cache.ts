import type { Version } from './send.ts';

/** Larger objects are not kept: they would push out too much, and a viewer would wait for all of one. */
const LARGEST = 8 * 1024 * 1024;
/** Of what is kept one object uses at most so much. */
const SHARE = 4;

export interface Kept extends Version {
  readonly body: Buffer;
  /** When it was last known to be what the bucket has; milliseconds. */
  checkedAt: number;
}

/** Objects in memory, the least lately used of which go first. What is on its way here counts too. */
export class ObjectCache {
  readonly #limit: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #arriving = 0;

  /** @param limit bytes; 0 keeps nothing */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes kept, and those that room was made for. */
  get bytes(): number {
    return this.#bytes + this.#arriving;
  }

  get(name: string): Kept | undefined {
    const kept = this.#kept.get(name);
    if (!kept) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return kept;
  }

  /** Makes room. Every yes is followed by `arrived`.
   *  @returns whether an object of this size may be kept */
  expect(size: number): boolean {
    const isFit = size <= Math.min(LARGEST, this.#limit / SHARE) && this.#arriving + size <= this.#limit;
    if (!isFit) return false;
    this.#arriving += size;
    for (const name of this.#kept.keys()) {
      if (this.bytes <= this.#limit) break;
      this.delete(name);
    }
    return true;
  }

  /** @param size for which room was made
   *  @param kept undefined when it did not come */
  arrived(size: number, name: string, kept: Kept | undefined): void {
    this.#arriving -= size;
    if (!kept) return;
    this.delete(name);
    this.#kept.set(name, kept);
    this.#bytes += kept.body.length;
  }

  delete(name: string): void {
    this.#bytes -= this.#kept.get(name)?.body.length ?? 0;
    this.#kept.delete(name);
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}
