import type { Transitions } from '../../kernel/transitions.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { Limits, REQUEST_STATES } from './schema.ts';

/** The statements that write requests for limits, and count them. */

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

/** Answers the requests of a CTE `written`, and counts what `changes` selects: requests, each once more or once less. */
const countedAs = (changes: string) => `, counted as (
    insert into resource_changes (project_id, region_id, resource, facets, change)
    select of, 0, f.resource, f.facets, c.change
      from (${changes}) c, facets_of_limits_request(c.request) f, unnest(array[(c.request).client_id, 0]) of)
  select ${COLUMNS} from written, lateral (select (request).*) r`;

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
    `with written as (
       insert into limits_requests as request (client_id, user_id, description, requested_limits, created_at)
       values ($1, $2, $3, $4, $5) returning request)
     ${countedAs('select request, 1 as change from written')}`,
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
    `with before as (select request from limits_requests request where id = $1),
     written as (
       update limits_requests request set status = $2, updated_at = $3 where id = $1 returning request)
     ${countedAs('select request, -1 as change from before union all select request, 1 from written')}`,
    [id, status, decidedAt],
  );

export async function deleteRequest(db: Queryable, id: number): Promise<void> {
  await db.named(
    'limits_request_delete',
    `with written as (delete from limits_requests request where id = $1 returning request)
     ${countedAs('select request, -1 as change from written')}`,
    [id],
  );
}
