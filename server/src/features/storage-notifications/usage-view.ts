import { type Static, Type } from '@sinclair/typebox';
import { nullable, offsetTime } from '../../kernel/codecs.ts';
import { listPage } from '../../platform/database/list-page.ts';
import { listOf, pick } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { ListOf, ListQuery, Nullable, OffsetTime } from '../../platform/http/schemas.ts';

/** What is used of each bucket, and for which thresholds a notification was sent. */

const StorageUsage = Type.Object(
  {
    storage_name: Type.String(),
    bucket_name: Type.String(),
    used_space: Type.Number({ description: 'Bytes that are used now' }),
    files_quantity: Type.Number(),
    used_traffic: Type.Number({ description: 'Bytes of this calendar month (UTC)' }),
    used_requests: Type.Number({ description: 'Of this calendar month (UTC)' }),
    reported_at: Nullable(OffsetTime({ description: 'Of the last report about space or files' })),
    reached: Type.Array(Type.String(), {
      description:
        'The uuids of the thresholds of the bucket, and of its storage, that are reached, with a notification sent',
    }),
  },
  { $id: 'StorageUsage' },
);
const Page = ListQuery({});

const USED = [
  'storage_name',
  'bucket_name',
  'used_space',
  'files_quantity',
  'used_traffic',
  'used_requests',
] as const;

interface Row {
  readonly storage_name: string;
  readonly bucket_name: string;
  readonly used_space: number;
  readonly files_quantity: number;
  readonly used_traffic: number;
  readonly used_requests: number;
  readonly reported_at: Date | null;
  readonly reached: readonly string[] | null;
}

/** Of each bucket, what is used now and what was used in the month. */
const usedOf = (clientId: number, month: string) => sql`
  select storage_name, bucket_name, coalesce(l.used_space, 0) as used_space,
         coalesce(l.files_quantity, 0) as files_quantity, coalesce(m.used_traffic, 0) as used_traffic,
         coalesce(m.used_requests, 0) as used_requests,
         greatest(l.used_space_at, l.files_quantity_at) as reported_at,
         ${clientId}::int as client_id, ${month}::text as month
    from (select * from storage_usage where client_id = ${clientId}::int) l
    full join (select * from storage_usage_months where client_id = ${clientId}::int and month = ${month}::text) m
      using (storage_name, bucket_name)`;

const REACHED = sql`(select json_agg(e.uuid order by e.uuid) from storage_events e
  where e.client_id = u.client_id and e.storage_name = u.storage_name and e.bucket_name in ('', u.bucket_name)
    and e.reached_in in ('now', u.month)) as reached`;

async function listUsage(ctx: RequestContext, { limit, offset }: Static<typeof Page>) {
  const month = ctx.clock.now().toISOString().slice(0, 7);
  const { count, rows } = await listPage<Row>(ctx.db, {
    prepared: true,
    table: 'used',
    alias: 'u',
    limit,
    offset,
    columns: sql`${listOf(USED)}, reported_at, ${REACHED}`,
    key: 'bucket_name',
    rows: usedOf(ctx.caller.clientId, month),
    order: 'storage_name, bucket_name',
  });
  return {
    count,
    results: rows.map((row) => ({
      reported_at: nullable(offsetTime)(row.reported_at),
      reached: row.reached ?? [],
      ...pick(row, USED),
    })),
  };
}

export const storageUsageRoute: Route = plainPath('Storage notifications', '/virga/v1/storage_usage').get({
  summary: 'List what is used of each bucket',
  access: 'read',
  query: Page,
  response: ListOf(StorageUsage, 'StorageUsageList'),
  handler: (ctx, { query }) => listUsage(ctx, query),
});
