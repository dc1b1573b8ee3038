import { noteChange } from '../changes/changes.ts';
import type { Db, Tx } from '../database/db.ts';
import { raw, type Sql, sql } from '../database/sql.ts';
import type { ClientContext, RequestContext, TaskContext } from '../http/context.ts';
import { userActionOf } from './actions.ts';

export interface AuditEntry {
  /** What was done, in the words of the API: `create_token`, `delete_project`. */
  readonly action: string;
  readonly subject: string | number | null;
  readonly projectId?: number;
  readonly regionId?: number;
  /** What the subject is called. */
  readonly name?: string;
  /** The account that it was done to. Default: that of the context, else the caller's. */
  readonly clientId?: number;
}

/** Whom a request is about, as far as its path says: operators act in accounts that are not theirs. */
interface ActedOn {
  readonly clientId?: number;
  readonly project?: { readonly clientId: number };
}

/** What a record says in the words that users are shown, and where the request came from: the values of
 *  `SHOWN_COLUMNS`. */
export function shownOf(ctx: Pick<TaskContext, 'remoteAddress' | 'userAgent'>, action: string): Sql {
  const { type, group, resource } = userActionOf(action) ?? {};
  return sql`${type ?? null}, ${group ?? null}, ${resource ?? null}, ${ctx.remoteAddress}, ${ctx.userAgent}`;
}
export const SHOWN_COLUMNS = raw('action_type, api_group, resource_type, address, user_agent');

/** What a statement returns of the record that it inserts, for DELIVERIES. */
export const RECORDED = sql`returning id, at, client_id, api_group`;

/** SQL that inserts what is to be delivered of the record of a CTE `recorded`: to each webhook that its client has for
 *  user actions. */
export const DELIVERIES = sql`
  insert into webhook_deliveries (id, event_id, client_id, target_id, url, type, data, audit_id, next_attempt_at, created_at)
  select gen_random_uuid(), gen_random_uuid(), t.client_id, t.id, t.url, 'user_action', '{}', r.id, r.at, r.at
    from recorded r join webhook_targets t on t.client_id = r.client_id and t.kind = 'user_actions'
   where r.api_group is not null`;

/** Records who did what, in the log of the account that it was done to, in the transaction that does it, and notifies
 *  who follows the account. Work that becomes a task is recorded by `startTask`. */
export async function recordAudit(tx: Tx, ctx: RequestContext & ActedOn, entry: AuditEntry): Promise<void> {
  const { caller } = ctx;
  const clientId = entry.clientId ?? ctx.clientId ?? ctx.project?.clientId ?? caller.clientId;
  await tx.run(sql`
    with recorded as (
      insert into audit_log (at, client_id, user_id, token_id, request_id, action, subject, project_id, region_id,
             subject_name, ${SHOWN_COLUMNS})
      values (${ctx.clock.timestamp()}, ${clientId}, ${caller.userId}, ${caller.tokenId}, ${ctx.requestId},
              ${entry.action}, ${entry.subject === null ? null : String(entry.subject)}, ${entry.projectId ?? null},
              ${entry.regionId ?? null}, ${entry.name ?? null}, ${shownOf(ctx, entry.action)})
      ${RECORDED})
    ${DELIVERIES}`);
  const { action, projectId = null, regionId = null } = entry;
  // A look changes nothing.
  if (action.startsWith('read_')) return;
  tx.afterCommit(() => noteChange(ctx.db, { clientId, projectId, regionId, action, noun: null, id: null }));
}

/** What nobody who signs in has done. */
const NOBODY = 0;

/** Records that something of a project was brought back to what it is to be, after somebody else had changed it in
 *  the cloud that has it, and notifies who follows the account. @param what was changed: `subnet: gateway_ip` */
export async function recordRepair(
  db: Db,
  repair: {
    /** Microsecond timestamp. */
    readonly at: string;
    readonly action: string;
    readonly subject: string;
    readonly regionId: number;
    readonly projectId: number | null;
    readonly what: string;
  },
): Promise<void> {
  const { at, action, subject, regionId, projectId, what } = repair;
  const recorded = await db.row<{ client_id: number }>(sql`
    insert into audit_log (at, client_id, user_id, token_id, request_id, action, subject, project_id, region_id,
           subject_name)
    select ${at}, p.client_id, ${NOBODY}, ${NOBODY}, ${subject}, ${action}, ${subject}, p.id, ${regionId}, ${what}
      from projects p where p.id = ${projectId} returning client_id`);
  if (!recorded) return;
  noteChange(db, { clientId: recorded.client_id, projectId, regionId, action, noun: null, id: null });
}

/** Records that an operator looks at what is a client's, in the log of that client.
 *  @param what in the words of the API: `tasks`, `audit_log` */
export const recordLook = (ctx: ClientContext, what: string): Promise<void> =>
  ctx.db.transaction((tx) => recordAudit(tx, ctx, { action: `read_${what}`, subject: ctx.clientId }));

/** Records what an operator reads who acts for a client, in the log of that client. */
export const recordRead = (ctx: RequestContext, url: string): Promise<void> =>
  ctx.db.transaction((tx) =>
    recordAudit(tx, ctx, { action: 'read_for_client', subject: url.split('?')[0] ?? url }),
  );
