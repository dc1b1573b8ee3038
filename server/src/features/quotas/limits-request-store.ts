import type { Transitions } from '../../kernel/transitions.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { Limits, REQUEST_STATES } from './schema.ts';

/** The statements that write requests for limits. */

const REQUEST_COLUMNS = [
  ...(['id', 'client_id', 'description', 'requested_limits', 'status', 'created_at', 'updated_at'] as const),
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
  const row = await db.namedRow<RequestRow>(
    'limits_request_insert',
    `insert into limits_requests (client_id, user_id, description, requested_limits, created_at)
     values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
    [
      request.clientId,
      request.userId,
      request.description,
      JSON.stringify(request.requested_limits),
      request.createdAt,
    ],
  );
  return inserted(row);
}

/** @returns the request, or undefined: there is none */
export const decideRequest = (
  db: Queryable,
  id: number,
  { status, decidedAt }: { readonly status: 'done' | 'rejected'; readonly decidedAt: string },
): Promise<RequestRow | undefined> =>
  db.namedRow<RequestRow>(
    'limits_request_decide',
    `update limits_requests set status = $2, updated_at = $3 where id = $1 returning ${COLUMNS}`,
    [id, status, decidedAt],
  );

export async function deleteRequest(db: Queryable, id: number): Promise<void> {
  await db.named('limits_request_delete', 'delete from limits_requests where id = $1', [id]);
}
