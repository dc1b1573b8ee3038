import type { Stored } from './stored.ts';

/** All servers are listed once in this time; in between only those that have changed. */
const WHOLE_EVERY_MS = 6 * 3_600_000;
/** What has changed shortly before a look may be listed after it. */
const OVERLAP_MS = 300_000;

/** The states of a project's servers: after the first list only what has changed is asked for. */
export class ServerLines {
  readonly #stored: Stored;
  readonly #now: () => number;
  #states: ReadonlyMap<string, string> = new Map();
  #wholeAt = Number.NEGATIVE_INFINITY;
  #readAt = 0;

  constructor(stored: Stored, now: () => number) {
    this.#stored = stored;
    this.#now = now;
  }

  /** By the cloud's ids. */
  async read(): Promise<ReadonlyMap<string, string>> {
    const at = this.#now();
    const isWhole = at - this.#wholeAt > WHOLE_EVERY_MS;
    const since = encodeURIComponent(new Date(this.#readAt - OVERLAP_MS).toISOString());
    const path = isWhole ? '/servers/detail' : `/servers/detail?changes-since=${since}`;
    const lines = await this.#stored.all('instance', path);
    const states = new Map(isWhole ? [] : this.#states);
    for (const { id, status } of lines) {
      if (status === 'DELETED' || status === 'SOFT_DELETED') states.delete(id);
      else states.set(id, status);
    }
    this.#states = states;
    this.#readAt = at;
    if (isWhole) this.#wholeAt = at;
    return states;
  }
}
