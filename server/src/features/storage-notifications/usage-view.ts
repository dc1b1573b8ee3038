import { type Static, Type } from '@sinclair/typebox';
import { nullable, offsetTime } from '../../kernel/codecs.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { type Route, route } from '../../platform/http/route.ts';
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

interface Row {
  readonly storage_name: string;
  readonly bucket_name: string;
  readonly used_space: number;
  readonly files_quantity: number;
  readonly used_traffic: number;
  readonly used_requests: number;
  readonly reported_at: Date | null;
  readonly reached: readonly string[] | null;
  readonly total: number;
}

const LIST = `
  with months as (select * from storage_usage_months where client_id = $1 and month = $2),
  levels as (select * from storage_usage where client_id = $1)
  select coalesce(l.storage_name, m.storage_name) as storage_name,
         coalesce(l.bucket_name, m.bucket_name) as bucket_name,
         coalesce(l.used_space, 0) as used_space, coalesce(l.files_quantity, 0) as files_quantity,
         coalesce(m.used_traffic, 0) as used_traffic, coalesce(m.used_requests, 0) as used_requests,
         greatest(l.used_space_at, l.files_quantity_at) as reported_at,
         (select json_agg(e.uuid order by e.uuid) from storage_events e
           where e.client_id = $1 and e.storage_name = coalesce(l.storage_name, m.storage_name)
             and e.bucket_name in ('', coalesce(l.bucket_name, m.bucket_name))
             and e.reached_in in ('now', $2)) as reached,
         (count(*) over ())::int as total
    from levels l full join months m on m.storage_name = l.storage_name and m.bucket_name = l.bucket_name
   order by 1, 2 limit $3 offset $4`;

async function listUsage(ctx: RequestContext, { limit = 1000, offset = 0 }: Static<typeof Page>) {
  const month = ctx.clock.now().toISOString().slice(0, 7);
  const rows = await ctx.db.named<Row>('storage_usage_list', LIST, [
    ctx.caller.clientId,
    month,
    limit,
    offset,
  ]);
  return {
    count: rows[0]?.total ?? 0,
    results: rows.map(({ total: _, reported_at, reached, ...row }) => ({
      ...row,
      reported_at: nullable(offsetTime)(reported_at),
      reached: reached ?? [],
    })),
  };
}

export const storageUsageRoute: Route = route({
  method: 'GET',
  path: '/virga/v1/storage_usage',
  tag: 'Storage notifications',
  summary: 'List what is used of each bucket',
  access: 'read',
  query: Page,
  response: ListOf(StorageUsage, 'StorageUsageList'),
  handler: (ctx, { query }) => listUsage(ctx, query),
});
