import type pg from 'pg';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import { isDiskFull, type Outage } from './outage.ts';

export interface DiskRoomOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly outage: Outage;
  /** Bytes that are free on the disk of the database; absent: it is not this machine's. */
  readonly freeBytes?: (() => number | undefined) | undefined;
}

/** So often it is tried whether there is room again. */
const EVERY_MS = 2000;
/** PostgreSQL logs changes in files of 16 MiB, and ends when there is no room for the next one. */
const LEAST_BYTES = 20 * 1024 * 1024;
const FRESH_MS = 1000;
/** Needs about 3 MiB, and leaves nothing. */
const TRY = `create temp table virga_room on commit drop as
  select md5(i::text) as filler from generate_series(1, 40000) i`;

/** Knows whether the disk of the database is full: from what PostgreSQL refuses, and from the disk itself where that
 *  is this machine's. Reads go on meanwhile. */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #refused = false;
  #timer: NodeJS.Timeout | undefined;
  #measured = { at: Number.NEGATIVE_INFINITY, isLow: false };

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#refused || this.#isLow();
  }

  /** What operators should know of it; undefined: nothing. */
  get note(): string | undefined {
    return this.isFull
      ? 'the disk of the database is full: nothing can be changed until there is room'
      : undefined;
  }

  /** Looks at what PostgreSQL refused, and finds out when it no longer does. */
  refused(error: unknown): void {
    if (!isDiskFull(error) || this.#refused || this.#options.pool.ending) return;
    this.#options.log.error(
      `the disk of the database is full, changes are answered 503: ${messageOf(error)}`,
    );
    this.#refused = true;
    this.#options.outage.isDiskFull = true;
    this.#tryLater();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #isLow(): boolean {
    const { freeBytes } = this.#options;
    if (freeBytes === undefined) return false;
    const now = performance.now();
    if (now - this.#measured.at > FRESH_MS) {
      this.#measured = { at: now, isLow: (freeBytes() ?? LEAST_BYTES) < LEAST_BYTES };
    }
    return this.#measured.isLow;
  }

  #tryLater(): void {
    this.#timer = setTimeout(() => void this.#try(), EVERY_MS).unref();
  }

  async #try(): Promise<void> {
    const { pool, log, outage } = this.#options;
    if (pool.ending) return;
    try {
      const client = await pool.connect();
      try {
        await client.query(`begin; ${TRY}; rollback`);
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    } catch (error) {
      // Whoever may not make temporary tables cannot find it out: then the next refusal says it again.
      if (isDiskFull(error) || outage.active) return this.#tryLater();
      log.debug(`it could not be tried whether the database has room: ${messageOf(error)}`);
    }
    this.#refused = false;
    outage.isDiskFull = false;
    log.info('the disk of the database has room again');
  }
}
