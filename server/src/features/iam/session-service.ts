import { offsetTime } from '../../kernel/codecs.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { roleIn } from '../../platform/auth/caller.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { checkAssertion } from './passkeys.ts';
import type { ConfirmSession } from './session-schema.ts';
import { listSessions } from './session-store.ts';
import type { Sessions } from './sessions.ts';
import { proveOwnPassword } from './user-service.ts';
import { readEmail } from './user-store.ts';

/** What people do with their own sessions. An API token, and what it opened, reach the sessions that the token
 *  opened and no others. */

/** Who makes the request, and in which projects they may do more than elsewhere. @param csrfToken of the request's cookie */
export async function describeSession(ctx: RequestContext, csrfToken: string | null) {
  const { userId, clientId, role, projectRoles = new Map(), mustEnrol = false } = ctx.caller;
  const email = (await readEmail(ctx.db, userId)) ?? '';
  const project_roles = [...projectRoles.keys()]
    .map((project_id) => ({ project_id, role: roleIn(ctx.caller, project_id) }))
    .filter((here) => here.role !== role)
    .sort((a, b) => a.project_id - b.project_id);
  return {
    user_id: userId,
    client_id: clientId,
    email,
    role,
    project_roles,
    must_add_second_factor: mustEnrol,
    csrf_token: csrfToken,
  };
}

export async function listOwnSessions(ctx: RequestContext) {
  const rows = await listSessions(ctx.db, ctx.caller, ctx.clock.now());
  const results = rows.map((row) => ({
    id: row.id,
    client_id: row.client_id,
    ip_address: row.ip,
    user_agent: row.user_agent,
    created_at: offsetTime(row.created_at),
    last_used_at: offsetTime(row.last_used_at),
    expires_at: offsetTime(row.expires_at),
    is_current: row.id === ctx.caller.sessionId,
  }));
  return { count: results.length, results };
}

/** Lets a person do for a while what needs a recent sign-in.
 *  @throws Invalid for a wrong password or passkey, Conflict for an API token, TooManyRequests, Unauthenticated */
export async function confirmSession(
  sessions: Sessions,
  ctx: RequestContext,
  host: string | undefined,
  { password, passkey }: ConfirmSession,
) {
  const { sessionId, tokenId } = ctx.caller;
  if (sessionId === undefined || tokenId !== 0) {
    throw new Conflict('An API token belongs to no person who could give a password, and needs none');
  }
  if (password !== undefined) await proveOwnPassword(ctx, password);
  else if (passkey === undefined) throw new Invalid({ password: ['is needed, or a passkey'] });
  else if (
    (await ctx.db.transaction((tx) => checkAssertion(tx, ctx, { host, passkey }))) !== ctx.caller.userId
  )
    throw new Invalid({ passkey: ['is that of somebody else'] });
  await sessions.confirm(ctx, sessionId);
}

/** Ends the session of the request, or another of the caller's.
 *  @throws Conflict for an API token, which has no session; NotFound */
export async function signOut(sessions: Sessions, ctx: RequestContext, id?: string): Promise<void> {
  const { sessionId } = ctx.caller;
  if (id === undefined && sessionId === undefined) {
    throw new Conflict('An API token has no session to sign out of; delete the token instead');
  }
  await sessions.end(ctx, id ?? sessionId ?? '');
}
