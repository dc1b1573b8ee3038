import { readTime } from '../../kernel/codecs.ts';
import type { ActionType, ApiGroup, ResourceType } from '../../platform/audit/actions.ts';
import { contains } from '../../platform/database/contains.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import { raw, type Sql, sql } from '../../platform/database/sql.ts';
import type { UserActionListQuery } from './schema.ts';

export interface UserActionRow {
  readonly id: string;
  readonly at: Date;
  readonly action_type: ActionType | null;
  readonly api_group: ApiGroup;
  readonly resource_type: ResourceType | null;
  readonly subject: string | null;
  readonly subject_name: string | null;
  readonly client_id: number;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly user_id: number;
  readonly token_id: number;
  readonly email: string | null;
  readonly task_id: string | null;
  readonly ended: boolean;
  readonly acknowledged: boolean;
  readonly address: string | null;
  readonly user_agent: string | null;
}

const COLUMNS = sql`a.id::text as id, a.at, a.action_type, a.api_group, a.resource_type, a.subject, a.subject_name,
  a.client_id, a.project_id, a.region_id, a.user_id, a.token_id, u.email, a.started_task_id as task_id, a.address, a.user_agent,
  coalesce(t.state in ('FINISHED', 'ERROR'), true) as ended,
  exists (select from webhook_deliveries d where d.audit_id = a.id and d.state = 'DELIVERED') as acknowledged`;
const JOINS = sql`left join users u on u.id = a.user_id left join tasks t on t.id = a.started_task_id`;

/** The page, and how many match in all. */
export function listUserActions(
  db: Db,
  clientId: number,
  query: UserActionListQuery,
): Promise<Page<UserActionRow>> {
  const { limit, offset } = query;
  const direction = (query.sorting ?? query.order_by) === 'asc' ? 'asc' : 'desc';
  return listPage<UserActionRow>(db, {
    table: 'audit_log',
    alias: 'a',
    columns: COLUMNS,
    joins: JOINS,
    where: conditionsOf(clientId, query),
    order: `a.at ${direction}, a.id ${direction}`,
    limit,
    offset,
  });
}

function conditionsOf(clientId: number, query: UserActionListQuery): Sql[] {
  const lists = [
    ['action_type', 'text', query.action_type],
    ['api_group', 'text', query.api_group],
    ['project_id', 'int', query.project_id],
    ['user_id', 'int', query.user_id],
    ['region_id', 'int', query.region_id],
    ['subject', 'text', query.resource_id],
    ['address', 'text', query.source_user_ips],
    ['user_agent', 'text', query.user_agents],
  ] as const;
  const conditions = [sql`a.client_id = ${clientId}::int`, sql`a.api_group is not null`];
  for (const [column, type, values] of lists) {
    if (values) conditions.push(sql`${raw(`a.${column}`)} = any(${[...values]}::${raw(type)}[])`);
  }
  const { from_timestamp: from, to_timestamp: to, search_field: part } = query;
  if (from !== undefined) conditions.push(sql`a.at >= ${readTime(from)?.toISOString()}::timestamptz`);
  if (to !== undefined) conditions.push(sql`a.at <= ${readTime(to)?.toISOString()}::timestamptz`);
  if (part !== undefined) conditions.push(contains(sql`a.subject_name`, part));
  return conditions;
}

/** A delivery has the time of its action, by which the index finds it: entries have none by their id alone. */
export const delivered = (deliveryId: string): Sql => sql`select ${COLUMNS} from webhook_deliveries d
    join audit_log a on a.client_id = d.client_id and a.at = d.created_at and a.id = d.audit_id
     and a.api_group is not null and a.action_type is not null and a.resource_type is not null ${JOINS}
   where d.id = ${deliveryId}`;

/** The action that a delivery is about. */
export async function readDeliveredAction(
  db: Queryable,
  deliveryId: string,
): Promise<UserActionRow | undefined> {
  return db.row<UserActionRow>(delivered(deliveryId));
}
