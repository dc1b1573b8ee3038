import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../database/db.ts';
import { forgetOld } from '../database/forget-old.ts';
import { sql } from '../database/sql.ts';
import type { BackgroundJob } from '../feature.ts';

/** Counts per key and minute over all nodes, for what is too frequent to ask the database each time. Each node counts
 *  on its own; what it has counted it adds to the database in batches, and learns there what all have. Clients far
 *  from their limit cost nothing; the others may exceed it by a hundredth for each node, and by what comes in
 *  `PUBLISH_AFTER_MS`. */

const MINUTE_MS = 60_000;
const PUBLISH_AFTER_MS = 200;
/** More keys than this in a minute share one count: a flood of new ones makes nothing be forgotten. */
const MAX_KEYS = 20_000;
const OTHERS = 'others';

interface Count {
  /** What the database knew last. */
  shared: number;
  /** What was counted here since. */
  own: number;
}

export interface Counted {
  readonly count: number;
  /** Until the count begins anew. */
  readonly resetMs: number;
}

export interface SharedCountsOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  /** What is counted; keys of others are not mixed up with these. */
  readonly name: string;
  readonly limit: number;
}

export class SharedCounts {
  readonly #options: SharedCountsOptions;
  /** So much is counted before the database is sent. */
  readonly #step: number;
  #minute = 0;
  #counts = new Map<string, Count>();
  #unpublished = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SharedCountsOptions) {
    this.#options = options;
    this.#step = Math.max(1, Math.ceil(options.limit / 100));
  }

  /** Counts one more, or `by` less. */
  add(key: string, by = 1): Counted {
    const now = this.#options.clock.now().getTime();
    this.#begin(Math.floor(now / MINUTE_MS));
    const known = this.#counts.size < MAX_KEYS || this.#counts.has(key) ? key : OTHERS;
    const count = this.#counts.get(known) ?? { shared: 0, own: 0 };
    this.#counts.set(known, count);
    count.own += by;
    if (Math.abs(count.own) >= this.#step) this.#publishSoon(known);
    return { count: count.shared + count.own, resetMs: (this.#minute + 1) * MINUTE_MS - now };
  }

  /** Adds to the database what was counted here, and learns what all have counted. */
  async publish(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [minute, counts] = [this.#minute, this.#counts];
    const sent = [...this.#unpublished].map((key) => ({ key, by: counts.get(key)?.own ?? 0 }));
    this.#unpublished.clear();
    if (sent.length === 0) return;
    const digests = sent.map(({ key }) => this.#digest(key));
    const rows = await this.#options.db.rows<{
      key: Buffer;
      count: number;
    }>(sql`insert into request_counts as c (key, minute, count)
       select key, ${minute}, by from unnest(${digests}::bytea[], ${sent.map(({ by }) => by)}::bigint[]) as sent (key, by) order by key
       on conflict (key, minute) do update set count = c.count + excluded.count returning key, count`);
    const totals = new Map(rows.map(({ key, count }) => [key.toString('hex'), count]));
    sent.forEach(({ key, by }, i) => {
      const count = counts.get(key);
      const total = totals.get(digests[i]?.toString('hex') ?? '');
      if (!count || total === undefined) return;
      count.own -= by;
      count.shared = total;
    });
  }

  #begin(minute: number): void {
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#counts = new Map();
    this.#unpublished.clear();
  }

  #publishSoon(key: string): void {
    this.#unpublished.add(key);
    this.#timer ??= setTimeout(() => {
      // Until the database answers again each node counts for itself.
      this.publish().catch((error) =>
        this.#options.log.debug(`counts of ${this.#options.name} were not shared: ${messageOf(error)}`),
      );
    }, PUBLISH_AFTER_MS).unref();
  }

  #digest(key: string): Buffer {
    return createHash('sha256').update(`${this.#options.name} ${key}`).digest();
  }
}

/** Forgets minutes that are over. */
export function forgetOldCounts(db: Db, clock: Clock): BackgroundJob {
  return {
    name: 'request-counts-cleanup',
    everyMs: MINUTE_MS,
    exclusive: true,
    run: async () => {
      const minute = Math.floor(clock.now().getTime() / MINUTE_MS);
      await forgetOld(db, { table: 'request_counts', by: 'minute', before: minute - 1 });
    },
  };
}
