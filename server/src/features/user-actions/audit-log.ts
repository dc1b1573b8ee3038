import { type Static, Type } from '@sinclair/typebox';
import { offsetTime, readTime } from '../../kernel/codecs.ts';
import { listPage, viewPage } from '../../platform/database/list-page.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { DateTime, ListOf, ListQuery, Nullable, OffsetTime } from '../../platform/http/schemas.ts';

/** All that was done to an account, and what operators have looked at: more than its user actions. */

const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: OffsetTime({ description: 'When' }),
    action: Type.String({ description: 'What was done: delete_token, suspend_client, read_tasks' }),
    subject: Nullable(Type.String({ description: 'Id of what it was done to' })),
    subject_name: Nullable(Type.String({ description: 'What that was called' })),
    project_id: Nullable(Type.Integer()),
    region_id: Nullable(Type.Integer()),
    task_id: Nullable(Type.String({ description: 'The task that it began' })),
    user_id: Type.Integer(),
    email: Nullable(Type.String()),
    token_id: Nullable(Type.Integer({ description: 'The API token; null: a person who signed in' })),
    by_operator: Type.Boolean({ description: 'Whether somebody did it who runs the cloud' }),
    request_id: Type.String(),
    source_user_ip: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
  },
  { $id: 'AuditEntry' },
);
export const AuditLog = ListOf(AuditEntry, 'AuditLog');

export const AuditLogQuery = ListQuery(
  {
    action: Type.Optional(Type.String()),
    by_operator: Type.Optional(
      Type.Boolean({ description: 'Only what those did who run the cloud, or only what others did' }),
    ),
    from_timestamp: Type.Optional(DateTime()),
    to_timestamp: Type.Optional(DateTime()),
  },
  100,
);
export type AuditLogQuery = Static<typeof AuditLogQuery>;

interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly action: string;
  readonly subject: string | null;
  readonly subject_name: string | null;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly started_task_id: string | null;
  readonly user_id: number;
  readonly email: string | null;
  readonly token_id: number;
  readonly by_operator: boolean;
  readonly request_id: string;
  readonly address: string | null;
  readonly user_agent: string | null;
}

const BY_OPERATOR = sql`exists (select from api_tokens k
  where k.id = a.token_id and (k.role = 'operator' or k.acts_for))`;
const COLUMNS = sql`a.id::text as id, a.at, a.action, a.subject, a.subject_name, a.project_id, a.region_id,
  a.started_task_id, a.user_id, u.email, a.token_id, ${BY_OPERATOR} as by_operator, a.request_id, a.address,
  a.user_agent`;

/** The latest first. */
export async function readAuditLog(ctx: RequestContext, clientId: number, query: AuditLogQuery) {
  const page = await listPage<AuditRow>(ctx.db, {
    table: 'audit_log',
    alias: 'a',
    columns: COLUMNS,
    joins: sql`left join users u on u.id = a.user_id`,
    where: conditionsOf(clientId, query),
    order: 'a.at desc, a.id desc',
    limit: query.limit,
    offset: query.offset,
  });
  return viewPage(page, (row) => ({
    id: row.id,
    at: offsetTime(row.at),
    action: row.action,
    subject: row.subject,
    subject_name: row.subject_name,
    project_id: row.project_id,
    region_id: row.region_id,
    task_id: row.started_task_id,
    user_id: row.user_id,
    email: row.email,
    token_id: row.token_id === 0 ? null : row.token_id,
    by_operator: row.by_operator,
    request_id: row.request_id,
    source_user_ip: row.address,
    user_agent: row.user_agent,
  }));
}

function conditionsOf(clientId: number, query: AuditLogQuery): Sql[] {
  const { action, by_operator: byOperator, from_timestamp: from, to_timestamp: to } = query;
  const conditions = [sql`a.client_id = ${clientId}::int`];
  if (action !== undefined) conditions.push(sql`a.action = ${action}`);
  if (byOperator !== undefined) conditions.push(sql`${BY_OPERATOR} = ${byOperator}::boolean`);
  if (from !== undefined) conditions.push(sql`a.at >= ${readTime(from)?.toISOString()}::timestamptz`);
  if (to !== undefined) conditions.push(sql`a.at <= ${readTime(to)?.toISOString()}::timestamptz`);
  return conditions;
}
