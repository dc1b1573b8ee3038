import { Conflict, Forbidden, Invalid, NotFound, PermissionDenied } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { ROLE_IDS, ROLES, type Role } from '../../platform/auth/roles.ts';
import { constraintOf } from '../../platform/database/db.ts';
import type { ClientContext, RequestContext } from '../../platform/http/context.ts';
import { neighbours } from './paging.ts';
import { mailPasswordLink } from './password-mail.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { rolesAbove } from './sessions.ts';
import type { ChangePassword, FullUser, InviteUser, PageQuery, PatchUser, RoleName } from './user-schema.ts';
import * as store from './user-store.ts';

/** Users, as members of the caller's client. */

const INVITATION_HOURS = 7 * 24;
const PAGE_SIZE = 1000;

export function viewFullUser(row: store.MemberRow): FullUser {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    lang: row.lang,
    phone: row.phone,
    company: row.client_name,
    reseller: 0,
    client: row.client_id,
    deleted: false,
    groups: [viewRole(row.role)],
    activated: row.password_hash !== null,
    sso_auth: false,
    two_fa: false,
    auth_types: ['password'],
    user_type: 'common',
    is_active: true,
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

const viewRole = (role: Role) => ({ id: ROLE_IDS[role], name: role });

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

export async function listUsers(ctx: RequestContext, query: PageQuery) {
  const { limit = PAGE_SIZE, offset = 0 } = query;
  const { count, results } = await store.listMembers(ctx.db, ctx.caller.clientId, { limit, offset });
  return {
    count,
    ...neighbours('/iam/users', { limit, offset, count }),
    results: results.map(viewFullUser),
  };
}

/** @throws NotFound, also for others when the caller does not administer the account */
export async function getUser(ctx: RequestContext, userId: number): Promise<FullUser> {
  return viewFullUser(await visibleMember(ctx, userId));
}

async function visibleMember(ctx: RequestContext, userId: number): Promise<store.MemberRow> {
  const may = userId === ctx.caller.userId || ctx.caller.role === 'Administrators';
  const row = may ? await store.readMember(ctx.db, ctx.caller.clientId, userId) : undefined;
  if (!row) throw new NotFound(`User ${userId} was not found`);
  return row;
}

/** @throws NotFound, Invalid for what cannot be changed here */
export async function patchUser(ctx: RequestContext, userId: number, input: PatchUser): Promise<FullUser> {
  const row = await visibleMember(ctx, userId);
  const faults: Record<string, string[]> = {};
  if (input.email !== undefined && input.email !== row.email) {
    faults.email = ['is changed with PUT /iam/users/{userId}/email'];
  }
  if (input.auth_types?.some((type) => type !== 'password')) {
    faults.auth_types = ['password is the one way to sign in'];
  }
  if (Object.keys(faults).length > 0) throw new Invalid(faults);
  await ctx.db.transaction(async (tx) => {
    await store.updateUser(tx, userId, {
      name: input.name === undefined ? row.name : input.name,
      lang: input.lang ?? row.lang,
      phone: input.phone === undefined ? row.phone : input.phone,
      email: row.email,
    });
    await recordAudit(tx, ctx, { action: 'update_user', subject: userId });
  });
  return getUser(ctx, userId);
}

/** The caller's own row; what it guards needs the password, which nobody else has. */
async function ownRow(ctx: RequestContext, userId: number): Promise<store.MemberRow> {
  const row = await visibleMember(ctx, userId);
  if (userId !== ctx.caller.userId) throw new PermissionDenied();
  return row;
}

/** Ends all sessions of the user and returns what is stored now.
 *  @throws Invalid naming what is wrong, NotFound, PermissionDenied for somebody else's */
export async function changePassword(
  ctx: RequestContext,
  userId: number,
  input: ChangePassword,
): Promise<store.MemberRow> {
  const row = await ownRow(ctx, userId);
  if (input.new !== input.double) throw new Invalid({ double: ['must be the same as new'] });
  if (!(await verifyPassword(input.old, row.password_hash ?? ''))) {
    throw new Invalid({ old: ['is not the password'] });
  }
  const hash = await hashPassword(input.new);
  await ctx.db.transaction(async (tx) => {
    await store.setPassword(tx, userId, hash);
    await recordAudit(tx, ctx, { action: 'change_password', subject: userId });
  });
  return visibleMember(ctx, userId);
}

/** @throws Invalid naming what is wrong, NotFound, PermissionDenied for somebody else's */
export async function changeEmail(
  ctx: RequestContext,
  userId: number,
  input: { new_email: string; password: string },
) {
  const row = await ownRow(ctx, userId);
  if (!(await verifyPassword(input.password, row.password_hash ?? ''))) {
    throw new Invalid({ password: ['is not the password'] });
  }
  try {
    await ctx.db.transaction(async (tx) => {
      await store.updateUser(tx, userId, { ...row, email: input.new_email });
      await recordAudit(tx, ctx, { action: 'change_email', subject: userId });
    });
  } catch (error) {
    if (constraintOf(error) !== 'users_email') throw error;
    throw new Invalid({ new_email: ['belongs to another user'] });
  }
  return { new_email: input.new_email };
}

/** Adds a user to the caller's client, and mails somebody new a way to set the password.
 *  @throws Invalid, also when the user is a member already; NotFound for another client */
export async function inviteUser(ctx: RequestContext, input: InviteUser) {
  if (input.client_id !== ctx.caller.clientId) throw new NotFound(`Client ${input.client_id} was not found`);
  return addUser({ ...ctx, clientId: input.client_id }, input);
}

/** As `inviteUser`, for any client. @param input.password set at once instead of by mail */
export async function addUser(
  ctx: ClientContext,
  input: Omit<InviteUser, 'client_id'> & { readonly password?: string },
) {
  const role = roleNamed(input.user_role, 'user_role');
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  const add = () =>
    ctx.db.transaction(async (tx) => {
      const known = await store.findUserByEmail(tx, input.email);
      if (known && passwordHash !== null) {
        throw new Conflict(`${input.email} has an account already, with a password of its own`);
      }
      const userId =
        known?.id ??
        (await store.insertUser(tx, {
          email: input.email,
          name: input.name ?? null,
          lang: input.lang ?? 'en',
          passwordHash,
          timestamp: ctx.clock.timestamp(),
        }));
      if (!(await store.insertMember(tx, ctx.clientId, userId, role))) {
        const message = `User ${userId} has already been invited to client ${ctx.clientId}`;
        throw new Invalid({ email: [message] });
      }
      if (!known?.password_hash && passwordHash === null) {
        await mailPasswordLink(
          tx,
          ctx,
          { id: userId, email: input.email },
          {
            kind: 'invitation',
            subject: 'You are invited',
            text: 'You have been invited to an account. Set your password within 7 days with this token:',
            hours: INVITATION_HOURS,
          },
        );
      }
      await recordAudit(tx, ctx, { action: 'invite_user', subject: userId });
      return { user_id: userId, email: input.email, status: known?.password_hash ? 'added' : 'invited' };
    });
  try {
    return await add();
  } catch (error) {
    // Somebody else added the same address at the same moment; now it is known.
    if (constraintOf(error) === 'users_email') return add();
    throw error;
  }
}

/** @throws NotFound */
export async function getClientUser(ctx: ClientContext, userId: number) {
  const row = await store.readMember(ctx.db, ctx.clientId, userId);
  if (!row) throw new NotFound(`User ${userId} was not found`);
  return { user_role: viewRole(row.role) };
}

/** Gives a user another role; tokens with more rights that the user made end.
 *  @throws NotFound, Forbidden when nobody would administer the account, Invalid */
export async function putClientUser(ctx: ClientContext, userId: number, input: { user_role?: RoleName }) {
  const role = roleNamed(input.user_role ?? {}, 'user_role');
  await ctx.db.transaction(async (tx) => {
    if (!(await store.readMember(tx, ctx.clientId, userId)))
      throw new NotFound(`User ${userId} was not found`);
    const others = await store.countOtherAdministrators(tx, ctx.clientId, userId);
    if (role !== 'Administrators' && others === 0) throw lastAdministrator();
    await store.setRole(tx, ctx.clientId, userId, role);
    const member = { clientId: ctx.clientId, userId };
    await store.retireTokens(tx, member, rolesAbove(role), ctx.clock.timestamp());
    await recordAudit(tx, ctx, { action: 'change_role', subject: userId });
  });
}

/** Takes a user out of the client; the user's sessions and tokens there end at once.
 *  @throws NotFound, Forbidden when nobody would administer the account */
export async function deleteClientUser(ctx: ClientContext, userId: number) {
  await ctx.db.transaction(async (tx) => {
    if (!(await store.readMember(tx, ctx.clientId, userId)))
      throw new NotFound(`User ${userId} was not found`);
    if ((await store.countOtherAdministrators(tx, ctx.clientId, userId)) === 0) throw lastAdministrator();
    await store.deleteMember(tx, ctx.clientId, userId);
    await store.retireTokens(tx, { clientId: ctx.clientId, userId }, ROLES, ctx.clock.timestamp());
    await recordAudit(tx, ctx, { action: 'remove_user', subject: userId });
  });
  return {};
}

const lastAdministrator = () => new Forbidden('An account keeps at least one administrator');
