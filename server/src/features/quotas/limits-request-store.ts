import type { Transitions } from '../../kernel/transitions.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Limits, REQUEST_STATES } from './schema.ts';

/** The statements that write requests for limits. */

const REQUEST_COLUMNS = [
  'id',
  'client_id',
  'description',
  'requested_limits',
  'status',
  'created_at',
  'updated_at',
] as const;
export const COLUMNS = listOf(REQUEST_COLUMNS);

type RequestState = (typeof REQUEST_STATES)[number];

export const REQUEST_TRANSITIONS: Transitions<RequestState> = {
  'in progress': ['done', 'rejected'],
  done: [],
  rejected: [],
};

export type RequestRow = RowOf<
  'limits_requests',
  typeof REQUEST_COLUMNS,
  { requested_limits: Limits; status: RequestState }
>;

interface NewRequest {
  readonly clientId: number;
  readonly userId: number;
  readonly description: string;
  readonly requested_limits: Limits;
  readonly createdAt: string;
}

export async function insertRequest(db: Queryable, request: NewRequest): Promise<RequestRow> {
  const row =
    await db.row<RequestRow>(sql`insert into limits_requests (client_id, user_id, description, requested_limits, created_at)
     values (${request.clientId}, ${request.userId}, ${request.description}, ${JSON.stringify(request.requested_limits)}, ${request.createdAt}) returning ${COLUMNS}`);
  return inserted(row);
}

/** @returns the request, or undefined: there is none */
export const decideRequest = (
  db: Queryable,
  id: number,
  { status, decidedAt }: { readonly status: 'done' | 'rejected'; readonly decidedAt: string },
): Promise<RequestRow | undefined> =>
  db.row<RequestRow>(
    sql`update limits_requests set status = ${status}, updated_at = ${decidedAt} where id = ${id} returning ${COLUMNS}`,
  );

export async function deleteRequest(db: Queryable, id: number): Promise<void> {
  await db.run(sql`delete from limits_requests where id = ${id}`);
}
