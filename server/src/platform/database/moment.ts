import { type RawBuilder, sql } from 'kysely';

/** A moment for statements. As text, JavaScript and PostgreSQL would write the years after 9999 differently: the next
 *  hour or day of what somebody asks for may be there.
 *  @param ms milliseconds since 1970; infinite: before or after all others */
export const moment = (ms: number): RawBuilder<Date> =>
  Number.isFinite(ms)
    ? sql<Date>`to_timestamp(${ms / 1000}::float8)`
    : sql<Date>`${ms > 0 ? 'infinity' : '-infinity'}::timestamptz`;
