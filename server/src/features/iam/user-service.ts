import { Invalid, NotFound, PermissionDenied } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { hashToken } from '../../platform/auth/caller.ts';
import { ROLE_IDS, ROLES, type Role } from '../../platform/auth/roles.ts';
import { constraintOf } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { tryCount } from '../../platform/limits/limits.ts';
import { queueMail } from '../../platform/mail/outbox.ts';
import { canonicalAddress } from './addresses.ts';
import { attempt } from './attempts.ts';
import { noteOfChange } from './change-mail.ts';
import { viewUser } from './client-service.ts';
import { readPending, setPendingProfile } from './invitation-store.ts';
import { mailLink } from './link-mail.ts';
import { deleteLinksOf, LINK_EXPIRED, useLink } from './link-store.ts';
import { neighbours } from './paging.ts';
import { checkPassword } from './password-rules.ts';
import { hashPassword, verifyPassword, WRONG_PASSWORD } from './passwords.ts';
import { endTokensOf } from './token-store.ts';
import type { ChangePassword, FullUser, PageQuery, PatchUser, RoleName } from './user-schema.ts';
import * as store from './user-store.ts';

/** Users, as members of the caller's client. Only the user can change their own profile. */

const CONFIRM_HOURS = 24;
const MAIL_TO_AN_ADDRESS = { points: 1, seconds: 5 * 60 };

export function viewFullUser(row: store.MemberRow): FullUser {
  const client = { id: row.client_id, name: row.client_name };
  return {
    ...viewUser({ ...row, activated: row.password_hash !== null }, client),
    user_type: 'common',
    is_active: row.accepted,
    client_and_roles: [
      {
        client_id: row.client_id,
        client_company_name: row.client_name,
        user_id: row.id,
        user_roles: [row.role],
      },
    ],
  };
}

export const viewRole = (role: Role) => ({ id: ROLE_IDS[role], name: role });

/** A role may be named, numbered, or both.
 *  @throws Invalid naming `field` */
export function roleNamed({ id, name }: RoleName, field: string): Role {
  const role = ROLES.find(
    (known) => (name === undefined || known === name) && (id === undefined || ROLE_IDS[known] === id),
  );
  if (role && (id !== undefined || name !== undefined)) return role;
  const known = ROLES.map((each) => `${each} (${ROLE_IDS[each]})`).join(', ');
  throw new Invalid({ [field]: [`must be one of: ${known}`] });
}

/** Adds a fault when there is no such role. */
export function checkRole({ user_role: role }: { readonly user_role?: RoleName }, faults: Faults): void {
  if (role) faults.try(() => roleNamed(role, 'user_role'));
}

export async function listUsers(ctx: RequestContext, query: PageQuery) {
  const { limit, offset } = query;
  const { count, rows } = await store.listMembers(ctx.db, ctx.caller.clientId, {
    limit,
    offset,
    now: ctx.clock.now(),
  });
  return {
    count,
    ...neighbours('/iam/users', { limit, offset, count }),
    results: rows.map(viewFullUser),
  };
}

/** A member, or somebody who is invited.
 *  @throws NotFound, also for others when the caller does not administer the account */
export async function getUser(ctx: RequestContext, userId: number): Promise<FullUser> {
  const { caller } = ctx;
  const may = userId === caller.userId || caller.role === 'Administrators';
  const row = may ? await readKnown(ctx, caller.clientId, userId) : undefined;
  if (!row) throw new NotFound(`User ${userId} was not found`);
  return viewFullUser(row);
}

/** A member of the client, or somebody who is invited. */
export async function readKnown(
  ctx: RequestContext,
  clientId: number,
  userId: number,
): Promise<store.MemberRow | undefined> {
  const member = await store.readMember(ctx.db, clientId, userId);
  return member ?? readPending(ctx.db, clientId, userId, ctx.clock.now());
}

/** @throws Invalid for what cannot be changed here, PermissionDenied or NotFound for somebody else's */
export async function patchUser(ctx: RequestContext, userId: number, input: PatchUser): Promise<FullUser> {
  const invited = await readInvited(ctx, userId);
  const row = invited ?? (await ownRow(ctx, userId));
  const faults = new Faults();
  if (input.email !== undefined && input.email !== row.email)
    faults.add('email', 'is changed with PUT /iam/users/{userId}/email');
  if (input.auth_types?.some((type) => type !== 'password'))
    faults.add('auth_types', 'password is the one way to sign in');
  faults.refuse();
  await ctx.db.transaction(async (tx) => {
    const profile = {
      name: input.name === undefined ? row.name : input.name,
      lang: input.lang ?? row.lang,
      phone: input.phone === undefined ? row.phone : input.phone,
    };
    if (!invited) await store.updateUser(tx, userId, profile);
    else if (!(await setPendingProfile(tx, row.client_id, userId, profile)))
      throw new NotFound(`User ${userId} was not found`);
    await recordAudit(tx, ctx, { action: 'update_user', subject: userId });
  });
  return getUser(ctx, userId);
}

/** Somebody who has not accepted the invitation yet: administrators of the account change their profile. */
async function readInvited({ db, caller, clock }: RequestContext, userId: number) {
  if (caller.role !== 'Administrators') return undefined;
  return readPending(db, caller.clientId, userId, clock.now());
}

/** The caller's own row, to change it.
 *  @throws PermissionDenied for a token that only reads, and for a user whom the caller may see, else NotFound */
async function ownRow(ctx: RequestContext, userId: number): Promise<store.MemberRow> {
  const { clientId, userId: own, tokenId, role } = ctx.caller;
  if (tokenId !== 0 && role === 'Users') throw new PermissionDenied(READS_ONLY);
  if (userId !== own) {
    await getUser(ctx, userId);
    throw new PermissionDenied('Only the user can change their own profile');
  }
  const row = await store.readMember(ctx.db, clientId, own);
  if (!row) throw new NotFound(`User ${userId} was not found`);
  return row;
}

const READS_ONLY = 'This token only reads: it changes no profile, address or password';

/** The password of the person who makes the request.
 *  @throws Invalid, TooManyRequests */
export async function proveOwnPassword(ctx: RequestContext, password: string): Promise<void> {
  await provePassword(ctx, await ownRow(ctx, ctx.caller.userId), { password });
}

/** Guesses count here as they do where people sign in.
 *  @param given the password under the name of its field
 *  @throws Invalid naming the field, TooManyRequests */
async function provePassword(
  ctx: RequestContext,
  row: store.MemberRow,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  const [[field = '', password = ''] = []] = Object.entries(given);
  const address = canonicalAddress(row.email);
  const proved =
    address !== undefined &&
    (await attempt(ctx, address, async (standing) =>
      (await verifyPassword(password, row.password_hash ?? '', standing)) ? row.id : undefined,
    ));
  if (!proved) throw new Invalid({ [field]: [WRONG_PASSWORD] });
}

/** Adds what is wrong with the new password, and that it is not the same both times.
 *  @param email whose it is, where that is known */
export function checkNewPassword(input: Partial<ChangePassword>, faults: Faults, email?: string): void {
  checkPassword(['new', input.new], faults, email);
  if (input.new === undefined || input.double === undefined || input.new === input.double) return;
  faults.add('double', 'must be the same as new');
}

/** Ends all sessions of the user.
 *  @returns the hash of the new password
 *  @throws Invalid naming what is wrong, NotFound, PermissionDenied for somebody else's */
export async function changePassword(
  ctx: RequestContext,
  userId: number,
  input: ChangePassword,
): Promise<string> {
  const row = await ownRow(ctx, userId);
  const faults = new Faults();
  checkNewPassword(input, faults, row.email);
  faults.refuse();
  await provePassword(ctx, row, { old: input.old });
  const hash = await hashPassword(input.new);
  await ctx.db.transaction(async (tx) => {
    if (input.end_tokens) await endTokensOf(tx, { userId, tokenId: 0 }, ctx.clock.timestamp());
    await store.setPassword(tx, userId, hash);
    await recordAudit(tx, ctx, { action: 'change_password', subject: userId });
    await noteOfChange(tx, ctx, userId, 'The password of your account was changed.');
  });
  return hash;
}

/** Mails a token to the new address, once in 5 minutes; the address changes when that comes back. The answer is the same whether the
 *  address has an account or not.
 *  @throws Invalid naming what is wrong, NotFound, PermissionDenied for somebody else's */
export async function changeEmail(
  ctx: RequestContext,
  userId: number,
  input: { new_email: string; password: string },
) {
  const row = await ownRow(ctx, userId);
  await provePassword(ctx, row, { password: input.password });
  const mails = { key: `confirm ${canonicalAddress(input.new_email)}`, ...MAIL_TO_AN_ADDRESS };
  if ((await tryCount(ctx, [mails])) !== undefined) return { new_email: input.new_email };
  await ctx.db.transaction(async (tx) => {
    await mailLink(tx, ctx, {
      link: { kind: 'email', userId, email: input.new_email },
      recipient: input.new_email,
      mail: 'confirm_email',
      subject: 'Confirm your address',
      text: `Somebody, hopefully you, wants to sign in with this address. It can be confirmed for ${CONFIRM_HOURS} hours:`,
      page: '/password/email',
      use: 'send it as {"token": "..."} to POST /virga/v1/email',
      hours: CONFIRM_HOURS,
    });
    await recordAudit(tx, ctx, { action: 'change_email', subject: userId });
  });
  return { new_email: input.new_email };
}

/** Changes the address of the user whose mailed token this is, and notifies the old one.
 *  @throws Invalid when the token is unknown or has expired, or the address has another account by now */
export async function confirmEmail(ctx: RequestContext, token: string): Promise<{ email: string }> {
  try {
    return await ctx.db.transaction(async (tx) => {
      const link = await useLink(tx, 'email', hashToken(token), ctx.clock.now());
      if (!link?.email) throw new Invalid({ token: [LINK_EXPIRED] });
      const before = await store.setEmail(tx, link.userId, link.email);
      await deleteLinksOf(tx, link.userId);
      await queueMail(tx, {
        clientId: null,
        kind: 'email_changed',
        recipient: before,
        subject: 'Your address was changed',
        body: `You now sign in as ${link.email}. If this was not you, ask an administrator of your account for help.\n`,
        shownTo: { userId: link.userId },
        messageId: `<email_changed-${ctx.ids.uuid()}@virga.internal>`,
        timestamp: ctx.clock.timestamp(),
      });
      const caller = { ...ctx.caller, userId: link.userId };
      await recordAudit(tx, { ...ctx, caller }, { action: 'confirm_email', subject: link.userId });
      return { email: link.email };
    });
  } catch (error) {
    if (constraintOf(error) !== 'users_email') throw error;
    throw new Invalid({ token: ['confirms an address that has an account already'] });
  }
}
