import { nullable, offsetTime } from '../../../kernel/codecs.ts';
import { NotFound } from '../../../kernel/errors.ts';
import { listOf, pick, without } from '../../../platform/database/rows.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { DEFAULT_LIMIT, parseOrder } from '../../../platform/http/schemas.ts';
import { MEMBER_COLUMNS, STATUSES } from '../columns.ts';
import type { MemberRow } from '../model.ts';
import type { LastCheck } from '../port.ts';
import type { MemberListQuery } from './schema.ts';

const SHOWN = ['id', ...without(MEMBER_COLUMNS, ['pool_id', 'instance_id']), ...STATUSES] as const;
const COLUMNS = listOf([...SHOWN, 'last_check'], 'm');

/** Addresses of one pool are distinguished by their ports. */
const KEYS = { address: ['address', 'protocol_port'], created_at: ['created_at', 'id'] } as const;

/** Members of a pool.
 *  @throws NotFound for the pool */
export async function listMembers(ctx: RegionContext, poolId: string, query: MemberListQuery) {
  const order = query.order_by ?? 'address.asc';
  const { field, direction } = parseOrder<keyof typeof KEYS>(order);
  const by = (alias: string) => KEYS[field].map((key) => `${alias}.${key} ${direction}`).join(', ');
  const rows = await ctx.db.named<(MemberRow | { id: null }) & { count: number }>(
    `lb_member_list_${order}`,
    `select c.count, ${COLUMNS}
       from (select p.id, (select count(*) from lb_members where pool_id = p.id) as count from lb_pools p
              where p.id = $1 and p.project_id = $2 and p.region_id = $3) c
       left join lateral (select * from lb_members m where m.pool_id = c.id
                           order by ${by('m')} limit $4 offset $5) m on true
      order by ${by('m')}`,
    [poolId, ctx.project.id, ctx.region.id, query.limit ?? DEFAULT_LIMIT, query.offset ?? 0],
  );
  const [first] = rows;
  if (!first) throw new NotFound(`Pool ${poolId} was not found`);
  const results = rows.filter((row): row is MemberRow & { count: number } => row.id !== null);
  return { count: first.count, results: results.map(viewMember) };
}

/** @throws NotFound */
export async function getMember(ctx: RegionContext, poolId: string, id: string) {
  const [row] = await ctx.db.named<MemberRow>(
    'lb_member_get',
    `select ${COLUMNS} from lb_members m join lb_pools p on p.id = m.pool_id
      where m.id = $1 and p.id = $2 and p.project_id = $3 and p.region_id = $4`,
    [id, poolId, ctx.project.id, ctx.region.id],
  );
  if (!row) throw new NotFound(`Member ${id} was not found`);
  return viewMember(row);
}

export const viewMember = (row: MemberRow) => ({
  last_check: viewLastCheck(row.last_check),
  ...pick(row, SHOWN),
});

export function viewLastCheck(check: LastCheck | null) {
  return check && { reason: check.reason, since: nullable(offsetTime)(check.since) };
}
