import { nullable, offsetTime } from '../../../kernel/codecs.ts';
import { NotFound } from '../../../kernel/errors.ts';
import { inScope, listPage } from '../../../platform/database/list-page.ts';
import { listOf, pick, without } from '../../../platform/database/rows.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { parseOrder } from '../../../platform/http/schemas.ts';
import { MEMBER_COLUMNS, STATUSES } from '../columns.ts';
import type { MemberRow } from '../model.ts';
import type { LastCheck } from '../port.ts';
import type { MemberListQuery } from './schema.ts';

const SHOWN = ['id', ...without(MEMBER_COLUMNS, ['pool_id']), ...STATUSES] as const;
const COLUMNS = listOf([...SHOWN, 'last_check'], 'm');

type ShownMember = Pick<MemberRow, (typeof SHOWN)[number] | 'last_check'>;

/** Addresses of one pool are distinguished by their ports. */
const KEYS = { address: ['address', 'protocol_port'], created_at: ['created_at', 'id'] } as const;

/** Members of a pool.
 *  @throws NotFound for the pool */
export async function listMembers(ctx: RegionContext, poolId: string, query: MemberListQuery) {
  const { order_by: order, limit, offset } = query;
  const { field, direction } = parseOrder<keyof typeof KEYS>(order);
  const pool = sql`select id from lb_pools where id = ${poolId}::uuid and ${inScope(ctx.scope)}`;
  const { count, rows } = await listPage<ShownMember>(ctx.db, {
    prepared: true,
    table: 'lb_members',
    alias: 'm',
    columns: COLUMNS,
    limit,
    offset,
    where: [sql`pool_id = (${pool})`],
    order: KEYS[field].map((key) => `${key} ${direction}`).join(', '),
  });
  if (count === 0 && !(await ctx.db.any(pool))) throw new NotFound(`Pool ${poolId} was not found`);
  return { count, results: rows.map(viewMember) };
}

/** @throws NotFound */
export async function getMember(ctx: RegionContext, poolId: string, id: string) {
  const [row] =
    await ctx.db.rows<ShownMember>(sql`select ${COLUMNS} from lb_members m join lb_pools p on p.id = m.pool_id
      where m.id = ${id} and p.id = ${poolId} and p.project_id = ${ctx.project.id} and p.region_id = ${ctx.region.id}`);
  if (!row) throw new NotFound(`Member ${id} was not found`);
  return viewMember(row);
}

export const viewMember = (row: ShownMember) => ({
  last_check: viewLastCheck(row.last_check),
  ...pick(row, SHOWN),
});

export function viewLastCheck(check: LastCheck | null) {
  return check && { reason: check.reason, since: nullable(offsetTime)(check.since) };
}
