import type { Tx } from '../database/db.ts';
import type { RequestContext } from '../http/context.ts';

export interface AuditEntry {
  /** What was done, in the words of the API: `create_token`, `delete_project`. */
  readonly action: string;
  readonly subject: string | number | null;
  readonly projectId?: number;
  readonly regionId?: number;
}

/** Records who did what, in the transaction that does it. Work that becomes a task is recorded by `startTask`. */
export async function recordAudit(tx: Tx, ctx: RequestContext, entry: AuditEntry): Promise<void> {
  const { caller } = ctx;
  await tx.named(
    'audit_insert',
    `insert into audit_log (at, client_id, user_id, token_id, request_id, action, subject, project_id, region_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
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
    ],
  );
}
