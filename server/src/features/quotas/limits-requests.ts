import type { Static } from '@sinclair/typebox';
import { nullable, offsetTime, readTime } from '../../kernel/codecs.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { counted, keptCountOfClient } from '../../platform/database/kept-counts.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { CreateLimitsRequest, Limits, LimitsRequest, LimitsRequestQuery } from './schema.ts';
import { applyLimits, checkLimits } from './service.ts';

/** Requests of clients for other limits, which operators grant or reject. */

interface RequestRow {
  readonly id: number;
  readonly client_id: number;
  readonly description: string;
  readonly requested_limits: Limits;
  readonly status: 'done' | 'in progress' | 'rejected';
  readonly created_at: Date;
  readonly updated_at: Date | null;
}

const COLUMNS = 'id, client_id, description, requested_limits, status, created_at, updated_at';

function view(row: RequestRow): Static<typeof LimitsRequest> {
  return {
    id: row.id,
    client_id: row.client_id,
    description: row.description,
    requested_limits: row.requested_limits,
    status: row.status,
    created_at: offsetTime(row.created_at),
    updated_at: nullable(offsetTime)(row.updated_at),
  };
}

/** Of one client, which nobody has decided yet. */
export const MAX_OPEN = 20;

async function countOpen(tx: Tx, clientId: number): Promise<number> {
  const [row] = await tx.named<{ count: number }>(
    'limits_request_count',
    `select count(*)::int as count from limits_requests where client_id = $1 and status = 'in progress'`,
    [clientId],
  );
  return row?.count ?? 0;
}

/** @throws Invalid, Forbidden for one too many */
export async function createLimitsRequest(ctx: RequestContext, input: CreateLimitsRequest) {
  await checkLimits(ctx, input.requested_limits, 'requested_limits.');
  return ctx.db.transaction(async (tx) => {
    const { clientId } = ctx.caller;
    await refuseMore(tx, {
      what: 'requests that are not decided',
      holder: `account ${clientId}`,
      limit: MAX_OPEN,
      count: () => countOpen(tx, clientId),
    });
    const [row] = await tx.named<RequestRow>(
      'limits_request_insert',
      `insert into limits_requests (client_id, user_id, description, requested_limits, created_at)
       values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
      [
        ctx.caller.clientId,
        ctx.caller.userId,
        input.description,
        JSON.stringify(input.requested_limits),
        ctx.clock.timestamp(),
      ],
    );
    if (!row) throw new Error('the request was not inserted');
    await recordAudit(tx, ctx, { action: 'create_limits_request', subject: row.id });
    return view(row);
  });
}

/** Newest first. @param clientId undefined: of all clients */
export async function listLimitsRequests(db: Db, clientId: number | undefined, query: LimitsRequestQuery) {
  const base = db.kysely
    .selectFrom('limits_requests')
    .$if(clientId !== undefined, (q) => q.where('client_id', '=', clientId ?? 0))
    .$if(query.created_from !== undefined, (q) => q.where('created_at', '>=', asDate(query.created_from)))
    .$if(query.created_to !== undefined, (q) => q.where('created_at', '<=', asDate(query.created_to)))
    .$if(query.request_ids !== undefined, (q) => q.where('id', 'in', [-1, ...(query.request_ids ?? [])]))
    .$if(query.status !== undefined, (q) => q.where('status', 'in', ['', ...(query.status ?? [])]));
  const narrowed = [query.created_from, query.created_to, query.request_ids].some((by) => by !== undefined);
  const [rows, count] = await Promise.all([
    base
      .selectAll()
      .orderBy('id', 'desc')
      .limit(query.limit ?? 1000)
      .offset(query.offset ?? 0)
      .execute(),
    narrowed
      ? base
          .select((e) => e.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
          .then((total) => total.count)
      : counted(
          db,
          keptCountOfClient('limits_requests by client', clientId ?? 'all', { status: query.status }),
        ),
  ]);
  return { count, results: (rows as unknown as RequestRow[]).map(view) };
}

const asDate = (text: string | undefined): Date => readTime(text ?? '') ?? new Date(0);

/** @throws NotFound, also for a request of another client */
export async function getLimitsRequest(ctx: RequestContext, id: number) {
  const [row] = await ctx.db.named<RequestRow>(
    'limits_request_get',
    `select ${COLUMNS} from limits_requests where id = $1 and client_id = $2`,
    [id, ctx.caller.clientId],
  );
  if (!row) throw unknown(id);
  return view(row);
}

/** Withdraws a request that nobody has decided yet.
 *  @throws NotFound, Conflict when it is decided */
export async function deleteLimitsRequest(ctx: RequestContext, id: number): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockOpen(tx, id, ctx.caller.clientId);
    await tx.named('limits_request_delete', 'delete from limits_requests where id = $1', [id]);
    await recordAudit(tx, ctx, { action: 'delete_limits_request', subject: id });
  });
}

/** Grants or rejects a request (operators only); the limits hold when this returns.
 *  @throws NotFound, Conflict when it is decided */
export async function decideLimitsRequest(ctx: RequestContext, id: number, status: 'done' | 'rejected') {
  return ctx.db.transaction(async (tx) => {
    const request = await lockOpen(tx, id, undefined);
    if (status === 'done') await applyLimits(tx, request.client_id, request.requested_limits);
    const [row] = await tx.named<RequestRow>(
      'limits_request_decide',
      `update limits_requests set status = $2, updated_at = $3 where id = $1 returning ${COLUMNS}`,
      [id, status, ctx.clock.timestamp()],
    );
    await recordAudit(tx, ctx, {
      action: status === 'done' ? 'approve_limits_request' : 'reject_limits_request',
      subject: id,
    });
    return view(row ?? request);
  });
}

async function lockOpen(tx: Tx, id: number, clientId: number | undefined): Promise<RequestRow> {
  const [row] = await tx.named<RequestRow>(
    'limits_request_lock',
    `select ${COLUMNS} from limits_requests where id = $1 and ($2::int is null or client_id = $2) for update`,
    [id, clientId ?? null],
  );
  if (!row) throw unknown(id);
  if (row.status !== 'in progress') throw new Conflict(`Limits request ${id} is ${row.status} already`);
  return row;
}

const unknown = (id: number) => new NotFound(`Limits request ${id} was not found`);
