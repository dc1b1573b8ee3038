import type { Tx } from '../database/db.ts';
import type { RequestContext } from '../http/context.ts';
import { userActionOf } from './actions.ts';

export interface AuditEntry {
  /** What was done, in the words of the API: `create_token`, `delete_project`. */
  readonly action: string;
  readonly subject: string | number | null;
  readonly projectId?: number;
  readonly regionId?: number;
  /** What the subject is called. */
  readonly name?: string;
}

/** What a record says in the words that users are shown, and where the request came from: columns and values of the
 *  log beside the others. */
export function shownOf(ctx: RequestContext, action: string): readonly (string | null)[] {
  const { type, group, resource } = userActionOf(action) ?? {};
  return [type ?? null, group ?? null, resource ?? null, ctx.remoteAddress, ctx.userAgent];
}
export const SHOWN_COLUMNS = 'action_type, api_group, resource_type, address, user_agent';

/** Records who did what, in the transaction that does it. Work that becomes a task is recorded by `startTask`. */
export async function recordAudit(tx: Tx, ctx: RequestContext, entry: AuditEntry): Promise<void> {
  const { caller } = ctx;
  await tx.named(
    'audit_insert',
    `insert into audit_log (at, client_id, user_id, token_id, request_id, action, subject, project_id, region_id,
            subject_name, ${SHOWN_COLUMNS})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      ctx.clock.timestamp(),
      caller.clientId,
      caller.userId,
      caller.tokenId,
      ctx.requestId,
      entry.action,
      entry.subject === null ? null : String(entry.subject),
      entry.projectId ?? null,
      entry.regionId ?? null,
      entry.name ?? null,
      ...shownOf(ctx, entry.action),
    ],
  );
}
