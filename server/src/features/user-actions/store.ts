import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { readTime } from '../../kernel/codecs.ts';
import type { ActionType, ApiGroup, ResourceType } from '../../platform/audit/actions.ts';
import { countWithin } from '../../platform/database/counts-by-hour.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { counted, keptCountOfClient } from '../../platform/database/kept-counts.ts';
import { containsPart } from '../../platform/database/text-parts.ts';
import type { UserActionListQuery } from './schema.ts';

export interface UserActionRow {
  readonly id: string;
  readonly at: Date;
  readonly action_type: ActionType;
  readonly api_group: ApiGroup;
  readonly resource_type: ResourceType;
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

const COLUMNS = `a.id::text as id, a.at, a.action_type, a.api_group, a.resource_type, a.subject, a.subject_name,
  a.client_id, a.project_id, a.region_id, a.user_id, a.token_id, u.email, a.started_task_id as task_id, a.address, a.user_agent,
  coalesce(t.state in ('FINISHED', 'ERROR'), true) as ended,
  exists (select from webhook_deliveries d where d.audit_id = a.id and d.state = 'DELIVERED') as acknowledged`;
const JOINS = 'left join users u on u.id = a.user_id left join tasks t on t.id = a.started_task_id';

/** The page, and how many match in all. */
export async function listUserActions(db: Db, clientId: number, query: UserActionListQuery) {
  const filter = sql.join(await conditionsOf(db, clientId, query), sql` and `);
  const { limit, offset } = query;
  const direction = (query.sorting ?? query.order_by) === 'asc' ? '' : ' desc';
  const order = sql.raw(`a.at${direction}, a.id${direction}`);
  const page = (most: number) => sql<UserActionRow>`select ${sql.raw(COLUMNS)} from (
      select * from audit_log a where ${filter} order by ${order} limit ${most}::int offset ${offset}::bigint) a
      ${sql.raw(JOINS)} order by ${order}`;
  const kept = countIfKept(clientId, query);
  if (kept === undefined) {
    const all = sql<{ count: number }>`select count(*) as count from audit_log a where ${filter}`;
    const [{ rows }, count] = await Promise.all([page(limit).execute(db.kysely), counted(db, all)]);
    return { count, rows };
  }
  // Nobody looks for more than there are: of what never was done, the whole log would be read.
  const count = await counted(db, kept);
  const most = Math.min(limit, count - offset);
  return { count, rows: most > 0 ? (await page(most).execute(db.kysely)).rows : [] };
}

/** The count as far as it is kept: by what was done and where, by who asked, or by the time. */
function countIfKept(
  clientId: number,
  query: UserActionListQuery,
): RawBuilder<{ count: number }> | undefined {
  const { action_type, api_group, project_id, region_id, source_user_ips, user_agents } = query;
  const done = { action_type, api_group, project_id, region_id };
  const source = { address: source_user_ips, user_agent: user_agents?.map(md5) };
  const isGiven = (facets: object) => Object.values(facets).some((value) => value !== undefined);
  const timed = query.from_timestamp !== undefined || query.to_timestamp !== undefined;
  const narrowed = [isGiven(done), isGiven(source), timed].filter(Boolean).length;
  if (narrowed > 1 || query.resource_id !== undefined || query.search_field !== undefined) return undefined;
  if (isGiven(source)) return keptCountOfClient('user_actions by source', clientId, source);
  return timed ? countInTime(clientId, query) : keptCountOfClient('user_actions by client', clientId, done);
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

function countInTime(clientId: number, query: UserActionListQuery): RawBuilder<{ count: number }> {
  return countWithin({
    ...{ resource: 'user_actions by hour', place: { projectId: clientId, regionId: 0 } },
    from: readTime(query.from_timestamp ?? '')?.getTime(),
    to: readTime(query.to_timestamp ?? '')?.getTime(),
    rows: sql`select count(*) from audit_log where client_id = ${clientId}::int and api_group is not null`,
    time: sql`at`,
  });
}

async function conditionsOf(
  db: Db,
  clientId: number,
  query: UserActionListQuery,
): Promise<RawBuilder<unknown>[]> {
  const lists = [
    ['action_type', 'text', query.action_type],
    ['api_group', 'text', query.api_group],
    ['project_id', 'int', query.project_id],
    ['region_id', 'int', query.region_id],
    ['subject', 'text', query.resource_id],
    ['address', 'text', query.source_user_ips],
    ['user_agent', 'text', query.user_agents],
  ] as const;
  const conditions = [sql`a.client_id = ${clientId}::int`, sql`a.api_group is not null`];
  for (const [column, type, values] of lists) {
    if (values) conditions.push(sql`${sql.ref(`a.${column}`)} = any(${[...values]}::${sql.raw(type)}[])`);
  }
  const { from_timestamp: from, to_timestamp: to, search_field: part } = query;
  if (from !== undefined) conditions.push(sql`a.at >= ${readTime(from)?.toISOString()}::timestamptz`);
  if (to !== undefined) conditions.push(sql`a.at <= ${readTime(to)?.toISOString()}::timestamptz`);
  if (part !== undefined) conditions.push(await subjectContains(db, clientId, part));
  return conditions;
}

const subjectContains = (db: Db, clientId: number, part: string): Promise<RawBuilder<unknown>> =>
  containsPart(
    db,
    {
      place: [sql`a.client_id`, clientId],
      within: [sql`0`, 0],
      column: sql`a.subject_name`,
      // Of months, and of what belongs to none.
      index: 'audit_log_.*_text_parts_idx',
    },
    part,
  );

/** A delivery has the time of its action, by which the index finds it: entries have none by their id alone. */
export const DELIVERED = `select ${COLUMNS} from webhook_deliveries d
    join audit_log a on a.client_id = d.client_id and a.at = d.created_at and a.id = d.audit_id
     and a.api_group is not null ${JOINS}
   where d.id = $1`;

/** The action that a delivery is about. */
export async function readDeliveredAction(
  db: Queryable,
  deliveryId: string,
): Promise<UserActionRow | undefined> {
  const [row] = await db.named<UserActionRow>('user_action_delivered', DELIVERED, [deliveryId]);
  return row;
}
