import type { Static } from '@sinclair/typebox';
import { nullable, offsetTime, readTime } from '../../kernel/codecs.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { listPage, viewPage } from '../../platform/database/list-page.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import {
  COLUMNS,
  decideRequest,
  deleteRequest,
  insertRequest,
  REQUEST_TRANSITIONS,
  type RequestRow,
} from './limits-request-store.ts';
import type { CreateLimitsRequest, LimitsRequest, LimitsRequestQuery } from './schema.ts';
import { applyLimits, checkLimits } from './service.ts';

/** Requests of clients for other limits, which operators grant or reject. */

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
  return tx.number(
    sql`select count(*)::int as count from limits_requests where client_id = ${clientId} and status = 'in progress'`,
  );
}

/** @throws Invalid, Forbidden for one too many */
export async function createLimitsRequest(ctx: RequestContext, input: CreateLimitsRequest) {
  await checkLimits(ctx, input.requested_limits, 'requested_limits.');
  return ctx.db.transaction(async (tx) => {
    const { clientId } = ctx.caller;
    await refuseMore(tx, {
      what: 'requests that are not decided',
      owner: `account ${clientId}`,
      limit: MAX_OPEN,
      count: () => countOpen(tx, clientId),
    });
    const { userId } = ctx.caller;
    const { description, requested_limits } = input;
    const createdAt = ctx.clock.timestamp();
    const row = await insertRequest(tx, { clientId, userId, description, requested_limits, createdAt });
    await recordAudit(tx, ctx, { action: 'create_limits_request', subject: row.id });
    return view(row);
  });
}

/** Newest first. @param clientId undefined: of all clients */
export async function listLimitsRequests(db: Db, clientId: number | undefined, query: LimitsRequestQuery) {
  const where = conditionsOf(clientId, query);
  const { limit, offset } = query;
  const page = await listPage<RequestRow>(db, {
    table: 'limits_requests',
    alias: 'r',
    columns: COLUMNS,
    where,
    order: 'created_at desc, id desc',
    limit,
    offset,
  });
  return viewPage(page, view);
}

const asTime = (text: string | undefined) =>
  text === undefined ? undefined : (readTime(text)?.getTime() ?? 0);
const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

function conditionsOf(clientId: number | undefined, query: LimitsRequestQuery): Sql[] {
  const [from, to] = [asTime(query.created_from), asTime(query.created_to)];
  return [
    sql`true`,
    ...(clientId === undefined ? [] : [sql`client_id = ${clientId}::int`]),
    ...(from === undefined ? [] : [sql`created_at >= ${at(from)}`]),
    ...(to === undefined ? [] : [sql`created_at <= ${at(to)}`]),
    ...(query.request_ids === undefined ? [] : [sql`id = any(${[...query.request_ids]}::bigint[])`]),
    ...statusConditions(query.status),
  ];
}

/** One status by itself: an index has those of one in their order. */
function statusConditions(statuses: LimitsRequestQuery['status']): Sql[] {
  if (statuses === undefined) return [];
  const [one, ...others] = statuses;
  return [
    one !== undefined && others.length === 0
      ? sql`status = ${one}`
      : sql`status = any(${[...statuses]}::text[])`,
  ];
}

/** @throws NotFound, also for a request of another client */
export async function getLimitsRequest(ctx: RequestContext, id: number) {
  const [row] = await ctx.db.rows<RequestRow>(
    sql`select ${COLUMNS} from limits_requests where id = ${id} and client_id = ${ctx.caller.clientId}`,
  );
  if (!row) throw unknown(id);
  return view(row);
}

/** Withdraws a request that nobody has decided yet.
 *  @throws NotFound, Conflict when it is decided */
export async function deleteLimitsRequest(ctx: RequestContext, id: number): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockOpen(tx, id, ctx.caller.clientId);
    await deleteRequest(tx, id);
    await recordAudit(tx, ctx, { action: 'delete_limits_request', subject: id });
  });
}

/** Grants or rejects a request (operators only); the limits hold when this returns.
 *  @throws NotFound, Conflict when it is decided */
export async function decideLimitsRequest(ctx: RequestContext, id: number, status: 'done' | 'rejected') {
  return ctx.db.transaction(async (tx) => {
    const request = await lockOpen(tx, id, undefined);
    if (status === 'done') await applyLimits(tx, request.client_id, request.requested_limits);
    const row = await decideRequest(tx, id, { status, decidedAt: ctx.clock.timestamp() });
    await recordAudit(tx, ctx, {
      action: status === 'done' ? 'approve_limits_request' : 'reject_limits_request',
      subject: id,
      clientId: request.client_id,
    });
    return view(row ?? request);
  });
}

async function lockOpen(tx: Tx, id: number, clientId: number | undefined): Promise<RequestRow> {
  const [row] = await tx.rows<RequestRow>(
    sql`select ${COLUMNS} from limits_requests where id = ${id} and (${clientId ?? null}::int is null or client_id = ${clientId ?? null}) for update`,
  );
  if (!row) throw unknown(id);
  if (REQUEST_TRANSITIONS[row.status].length === 0)
    throw new Conflict(`Limits request ${id} is ${row.status} already`);
  return row;
}

const unknown = (id: number) => new NotFound(`Limits request ${id} was not found`);
