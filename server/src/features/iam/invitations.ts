import { Conflict, Invalid, NotFound, TooManyRequests } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { type Caller, hashToken } from '../../platform/auth/caller.ts';
import type { Role } from '../../platform/auth/roles.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import type { ClientContext, RequestContext } from '../../platform/http/context.ts';
import { consume, tryCount } from '../../platform/limits/limits.ts';
import { canonicalAddress } from './addresses.ts';
import { acceptAssignments } from './assignment-store.ts';
import { countClients } from './client-store.ts';
import * as store from './invitation-store.ts';
import { hoursFromNow, mailToken } from './link-mail.ts';
import { LINK_EXPIRED } from './link-store.ts';
import { checkPassword } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import { refuseOf } from './sessions.ts';
import { lockTokens } from './token-store.ts';
import type { AcceptInvitation, InviteUser } from './user-schema.ts';
import { roleNamed, viewRole } from './user-service.ts';
import * as users from './user-store.ts';

/** A membership begins when the invited person accepts, with the token that was mailed to them. Until then nobody
 *  learns whether they have an account, and nothing of it changes. */

const DAYS = 7;
const PAGE = '/invitation/open';
/** A client may wait for this many answers. */
export const MAX_PENDING = 100;
const MAILS_OF_A_CLIENT = { points: 100, seconds: 3600 };
/** Whoever invites it: nobody's mailbox is filled with our mails. */
export const MAILS_TO_AN_ADDRESS = { points: 5, seconds: 3600 };

/** @throws Invalid, also when the address is a member or invited already; NotFound for another client; Conflict;
 *  TooManyRequests */
export async function inviteUser(ctx: RequestContext, input: InviteUser) {
  if (input.client_id !== ctx.caller.clientId) throw new NotFound(`Client ${input.client_id} was not found`);
  return invite({ ...ctx, clientId: input.client_id }, input);
}

/** As `inviteUser`, with the link where no mail is sent: somebody has to pass it on. Beside other clients it is the operator
 *  who does: whoever has the link can make an account of an address that is not theirs, which another client may invite. */
export async function inviteWithLink(
  ctx: RequestContext,
  input: Omit<InviteUser, 'client_id'>,
  sendsMail: boolean,
) {
  const token = ctx.ids.secret();
  const invited = await invite({ ...ctx, clientId: ctx.caller.clientId }, input, token);
  const isHeld = sendsMail || (await countClients(ctx.db)) > 1;
  return { ...invited, link: isHeld ? null : `${ctx.publicUrl ?? ''}${PAGE}#${token}` };
}

/** As `inviteUser`, for any client. */
export async function invite(
  ctx: ClientContext,
  input: Omit<InviteUser, 'client_id'>,
  token = ctx.ids.secret(),
) {
  const role = roleNamed(input.user_role, 'user_role');
  await countMail(ctx, input.email);
  return ctx.db.transaction(async (tx) => {
    await lockTokens(tx, ctx.clientId);
    await checkInvitable(tx, ctx, input.email);
    const userId = await store.insertInvitation(tx, {
      clientId: ctx.clientId,
      email: input.email,
      name: input.name ?? null,
      lang: input.lang ?? 'en',
      role,
      hash: hashToken(token),
      timestamp: ctx.clock.timestamp(),
      expiresAt: hoursFromNow(ctx, DAYS * 24),
    });
    await mailInvitation(tx, ctx, token, { email: input.email, role });
    await recordAudit(tx, ctx, { action: 'invite_user', subject: userId ?? null });
    return { user_id: userId, email: input.email, status: 'invited' };
  });
}

/** @throws TooManyRequests when the client, or all clients together for this address, have sent enough */
async function countMail(ctx: ClientContext, email: string): Promise<void> {
  const ofClient = { key: `invitations of ${ctx.clientId}`, ...MAILS_OF_A_CLIENT };
  const toAddress = { key: `invitations to ${canonicalAddress(email) ?? ''}`, ...MAILS_TO_AN_ADDRESS };
  await consume(ctx, [ofClient]);
  const waitMs = await tryCount(ctx, [toAddress]);
  if (waitMs === undefined) return;
  const { points } = MAILS_TO_AN_ADDRESS;
  throw new TooManyRequests(waitMs, `An address gets at most ${points} invitations an hour`);
}

async function checkInvitable(tx: Tx, ctx: ClientContext, email: string): Promise<void> {
  await store.deleteOldInvitations(tx, ctx.clock.now());
  const known = await store.findKnownId(tx, ctx.clientId, canonicalAddress(email) ?? '');
  if (known !== undefined) {
    throw new Invalid({ email: [`User ${known} has already been invited to client ${ctx.clientId}`] });
  }
  if ((await store.countPending(tx, ctx.clientId)) >= MAX_PENDING) {
    throw new Conflict(`A client may have ${MAX_PENDING} open invitations; remove one first`);
  }
}

async function mailInvitation(
  tx: Tx,
  ctx: ClientContext,
  token: string,
  { email, role }: { email: string; role: Role },
): Promise<void> {
  await mailToken(tx, ctx, token, {
    mail: 'invitation',
    clientId: ctx.clientId,
    recipient: email,
    subject: 'You are invited',
    text: `You have been invited to an account as one of its ${role}. You can accept within ${DAYS} days:`,
    page: PAGE,
    use: 'send it as {"token": "..."} to POST /virga/v1/invitations/accept, with a "password" if you are new here',
  });
}

/** What the invited person is asked.
 *  @throws Invalid when the token is unknown or has expired */
export async function showInvitation(ctx: RequestContext, token: string) {
  const row = await store.readByHash(ctx.db, hashToken(token), ctx.clock.now());
  if (!row) throw new Invalid({ token: [LINK_EXPIRED] });
  const account = await users.findUserByEmail(ctx.db, canonicalAddress(row.email) ?? '');
  return { ...view(row), has_account: account !== undefined };
}

const view = (row: users.MemberRow) => ({
  client_id: row.client_id,
  client_name: row.client_name,
  email: row.email,
  user_role: viewRole(row.role),
});

const HAS_PASSWORD = 'must be left out: this address has an account with a password already';

/** Makes the invited person a member; one without an account gets it, with the password.
 *  @throws Invalid naming what is wrong, Forbidden when the client is suspended */
export async function acceptInvitation(ctx: RequestContext, input: AcceptInvitation) {
  const shown = await showInvitation(ctx, input.token);
  if (shown.has_account && input.password !== undefined) {
    throw new Invalid({ password: [HAS_PASSWORD] });
  }
  if (!shown.has_account && input.password === undefined) {
    throw new Invalid({ password: ['is required: this address has no account yet'] });
  }
  const faults = new Faults();
  checkPassword(['password', input.password], faults, shown.email);
  faults.refuse();
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  try {
    return await ctx.db.transaction((tx) => accept(tx, ctx, input, passwordHash));
  } catch (error) {
    if (constraintOf(error) !== 'users_email') throw error;
    throw new Invalid({ password: [HAS_PASSWORD] });
  }
}

async function accept(tx: Tx, ctx: RequestContext, input: AcceptInvitation, passwordHash: string | null) {
  const row = await store.lockByHash(tx, hashToken(input.token), ctx.clock.now());
  if (!row) throw new Invalid({ token: [LINK_EXPIRED] });
  refuseOf(row);
  const timestamp = ctx.clock.timestamp();
  const userId =
    passwordHash === null
      ? (await users.findUserByEmail(tx, canonicalAddress(row.email) ?? ''))?.id
      : await users.insertUser(tx, {
          id: row.id,
          email: row.email,
          name: input.name ?? row.name,
          lang: input.lang ?? row.lang,
          phone: row.phone,
          passwordHash,
          timestamp,
        });
  if (userId === undefined) throw new Invalid({ token: [LINK_EXPIRED] });
  await users.insertMember(tx, { clientId: row.client_id, userId, role: row.role, timestamp });
  await acceptAssignments(tx, row.id, userId);
  await store.markAccepted(tx, row.id, userId);
  const caller: Caller = { tokenId: 0, clientId: row.client_id, userId, role: row.role };
  await recordAudit(tx, { ...ctx, caller }, { action: 'accept_invitation', subject: userId });
  return { ...view(row), user_id: userId };
}

/** @throws Invalid when the token is unknown or has expired */
export async function declineInvitation(ctx: RequestContext, token: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const row = await store.lockByHash(tx, hashToken(token), ctx.clock.now());
    if (!row) throw new Invalid({ token: [LINK_EXPIRED] });
    await store.deletePending(tx, row.client_id, row.id);
    const caller: Caller = { tokenId: 0, clientId: row.client_id, userId: row.id, role: row.role };
    await recordAudit(tx, { ...ctx, caller }, { action: 'decline_invitation', subject: row.id });
  });
}
