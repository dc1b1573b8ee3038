import { offsetTime } from '../../kernel/codecs.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { UserActionListQuery } from './schema.ts';
import { listUserActions, readDeliveredAction, type UserActionRow } from './store.ts';

/** What of a recorded action is shown. */
function viewUserAction(row: UserActionRow) {
  const { action_type, api_group, resource_type, subject, subject_name: search_field } = row;
  const resources = [{ resource_id: subject ?? '', resource_type, resource_body: null, search_field }];
  return {
    id: row.id,
    timestamp: offsetTime(row.at),
    action_type,
    api_group,
    resources: subject === null ? [] : resources,
    client_id: row.client_id,
    project_id: row.project_id,
    region_id: row.region_id,
    user_id: row.user_id,
    email: row.email,
    // A session of a person has no token.
    token_id: row.token_id === 0 ? null : row.token_id,
    issued_by_user_id: null,
    task_id: row.task_id,
    is_complete: row.ended,
    acknowledged: row.acknowledged,
    source_user_ip: row.address,
    user_agent: row.user_agent,
    action_data: null,
    total_price: null,
  };
}

/** The client's user actions. */
export async function userActions(ctx: RequestContext, query: UserActionListQuery) {
  return viewPage(await listUserActions(ctx.db, ctx.caller.clientId, query), viewUserAction);
}

/** What a webhook says of the user action of a delivery, as it is now. */
export async function deliveredUserAction(db: Queryable, deliveryId: string): Promise<object> {
  const row = await readDeliveredAction(db, deliveryId);
  if (!row) throw new Error(`what delivery ${deliveryId} is about is not kept any more`);
  return viewUserAction(row);
}
