import type { Clock } from '../../kernel/clock.ts';
import { zuluTime } from '../../kernel/codecs.ts';
import { type SeriesWindow, windowBefore } from '../../kernel/series.ts';
import type { Db } from '../../platform/database/db.ts';
import { forgetOld } from '../../platform/database/forget-old.ts';
import { sql } from '../../platform/database/sql.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { clusters } from './cluster-store.ts';

/** What was measured of clusters over 30 days: each minute for a day, then a sample of each quarter of an hour. */

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

interface Sample {
  readonly at: Date;
  readonly connections: number;
  readonly max_connections: number;
  readonly used_bytes: number;
  readonly size_bytes: number;
  readonly blocks_hit: number;
  readonly blocks_read: number;
  readonly committed: number;
  readonly rolled_back: number;
}

/** Notes what was last measured of each cluster that is observed, and forgets what is too old. */
export class Sampler {
  readonly #db: Db;
  readonly #clock: Clock;
  #quarter: number | undefined;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  run = async (): Promise<void> => {
    const now = this.#clock.now().getTime();
    const quarter = Math.floor(now / QUARTER_MS);
    const isCoarse = quarter !== this.#quarter;
    await insertSamples(this.#db, this.#clock.timestamp(), isCoarse);
    this.#quarter = quarter;
    if (!isCoarse) return;
    const before = (days: number) => new Date(now - days * DAY_MS).toISOString();
    const old = { table: 'postgresql_samples', by: 'at' };
    await forgetOld(this.#db, { ...old, before: before(1), where: 'not coarse' });
    await forgetOld(this.#db, { ...old, before: before(30), where: 'coarse' });
  };
}

const insertSamples = (db: Db, at: string, isCoarse: boolean): Promise<void> =>
  db.run(sql`
    insert into postgresql_samples (cluster_id, at, connections, max_connections, used_bytes, size_bytes,
           blocks_hit, blocks_read, committed, rolled_back, coarse)
    select c.id, ${at}, m.active + m.idle, m.max, m.used_bytes, m.size_bytes, m.hit, m.read, m.committed,
           m.rolled_back, ${isCoarse}
      from postgresql_clusters c
     cross join lateral (
       select (o #>> '{connections,active}')::int as active, (o #>> '{connections,idle}')::int as idle,
              (o #>> '{connections,max}')::int as max, (o #>> '{storage,used_bytes}')::bigint as used_bytes,
              (o #>> '{storage,size_bytes}')::bigint as size_bytes, (o #>> '{blocks,hit}')::bigint as hit,
              (o #>> '{blocks,read}')::bigint as read, (o #>> '{transactions,committed}')::bigint as committed,
              (o #>> '{transactions,rolled_back}')::bigint as rolled_back
         from (select c.observed -> 'metrics' as o) as observed) m
     where c.status in ('READY', 'UPDATING') and c.observed is not null
       for key share of c
    on conflict do nothing`);

/** The last sample of each step of a window, the oldest first, with the one before the window in front: counters are
 *  compared with it. */
const readSamples = (db: Db, id: string, { from, stepSeconds }: SeriesWindow): Promise<Sample[]> =>
  db.rows<Sample>(sql`
    with since as (
      select coalesce((select max(at) from postgresql_samples
        where cluster_id = ${id} and at < ${from.toISOString()}::timestamptz), ${from.toISOString()}::timestamptz) as at),
    steps as (
      select s.at, s.connections, s.max_connections, s.used_bytes, s.size_bytes, s.blocks_hit, s.blocks_read,
             s.committed, s.rolled_back, floor(extract(epoch from s.at) / ${stepSeconds}::float8) as step
        from postgresql_samples s, since where s.cluster_id = ${id} and s.at >= since.at)
    select distinct on (step) at, connections, max_connections, used_bytes, size_bytes, blocks_hit, blocks_read,
           committed, rolled_back
      from steps order by step, at desc`);

/** What was measured of a cluster in the last hours.
 *  @param hours 720 at most: nothing older is kept
 *  @throws NotFound */
export async function readSeries(ctx: RegionContext, name: string, hours: number) {
  const { id } = await clusters.read(ctx.db, name, ctx.scope);
  const samples = await readSamples(ctx.db, id, windowBefore(ctx.clock.now(), hours * 3600));
  const results = samples.map((sample, i) => pointOf(sample, samples[i - 1]));
  return { count: results.length, results };
}

/** Counters of a server that was started again begin anew, and say nothing of that time. */
function pointOf(sample: Sample, before: Sample | undefined) {
  const grown = (of: (one: Sample) => number): number | null => {
    const more = before ? of(sample) - of(before) : -1;
    return more < 0 ? null : more;
  };
  const seconds = before ? (sample.at.getTime() - before.at.getTime()) / 1000 : 0;
  const transactions = grown((one) => one.committed + one.rolled_back);
  const [hit, read] = [grown((one) => one.blocks_hit), grown((one) => one.blocks_read)];
  const requested = hit === null || read === null ? 0 : hit + read;
  return {
    time: zuluTime(sample.at),
    connections: sample.connections,
    max_connections: sample.max_connections,
    used_bytes: sample.used_bytes,
    size_bytes: sample.size_bytes,
    transactions_per_second: transactions === null ? null : rounded(transactions / seconds),
    hit_percent: hit === null || requested === 0 ? null : rounded((100 * hit) / requested),
  };
}

const rounded = (value: number) => Math.round(value * 1000) / 1000;
