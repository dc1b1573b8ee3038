import { Conflict, Forbidden, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { ROLES, rolesAbove } from '../../platform/auth/roles.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import type { ClientContext } from '../../platform/http/context.ts';
import { deletePending, setPendingRole } from './invitation-store.ts';
import { checkPassword } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import { lockTokens, retireTokens } from './token-store.ts';
import type { InviteUser, RoleName } from './user-schema.ts';
import { readKnown, roleNamed, viewRole } from './user-service.ts';
import * as store from './user-store.ts';

/** Who belongs to a client, and as what. */

/** Adds a new user with a password, as operators may.
 *  @throws Invalid, Conflict when the address has an account */
export async function addUser(
  ctx: ClientContext,
  input: Omit<InviteUser, 'client_id'> & { readonly password: string },
) {
  const faults = new Faults();
  const named = faults.try(() => roleNamed(input.user_role, 'user_role'));
  checkPassword(['password', input.password], faults, input.email);
  const role = faults.require(named);
  const passwordHash = await hashPassword(input.password);
  const timestamp = ctx.clock.timestamp();
  const add = async (tx: Tx) => {
    const userId = await store.insertUser(tx, {
      email: input.email,
      name: input.name ?? null,
      lang: input.lang ?? 'en',
      passwordHash,
      timestamp,
    });
    await store.insertMember(tx, { clientId: ctx.clientId, userId, role, timestamp });
    await recordAudit(tx, ctx, { action: 'add_user', subject: userId });
    return { user_id: userId, email: input.email, status: 'added' };
  };
  try {
    return await ctx.db.transaction(add);
  } catch (error) {
    if (constraintOf(error) !== 'users_email') throw error;
    throw new Conflict(`${input.email} has an account already; invite them without a password`);
  }
}

/** @throws NotFound */
export async function getClientUser(ctx: ClientContext, userId: number) {
  const row = await readKnown(ctx, ctx.clientId, userId);
  if (!row) throw new NotFound(`User ${userId} was not found`);
  return { user_role: viewRole(row.role) };
}

/** Gives a user another role; tokens with more rights that the user made end. Somebody who is invited will have it.
 *  @throws NotFound, Forbidden when nobody would administer the account, Invalid */
export async function putClientUser(ctx: ClientContext, userId: number, input: { user_role?: RoleName }) {
  const role = roleNamed(input.user_role ?? {}, 'user_role');
  await ctx.db.transaction(async (tx) => {
    if (!(await setPendingRole(tx, ctx.clientId, userId, role))) await setMemberRole(tx, ctx, userId, role);
    await recordAudit(tx, ctx, { action: 'change_role', subject: userId });
  });
}

async function setMemberRole(tx: Tx, ctx: ClientContext, id: number, role: (typeof ROLES)[number]) {
  const member = await readLocked(tx, ctx, id);
  if (role !== 'Administrators' && member.others === 0) throw lastAdministrator();
  await store.setRole(tx, ctx.clientId, member.userId, role);
  const { userId } = member;
  await retireTokens(tx, { clientId: ctx.clientId, userId }, rolesAbove(role), ctx.clock.timestamp());
}

/** Removes a user from the client; the user's sessions and tokens there end at once. An invitation is revoked.
 *  @throws NotFound, Forbidden when nobody would administer the account */
export async function deleteClientUser(ctx: ClientContext, userId: number) {
  await ctx.db.transaction(async (tx) => {
    if (!(await deletePending(tx, ctx.clientId, userId))) await removeMember(tx, ctx, userId);
    await recordAudit(tx, ctx, { action: 'remove_user', subject: userId });
  });
  return {};
}

async function removeMember(tx: Tx, ctx: ClientContext, id: number): Promise<void> {
  const { userId, others } = await readLocked(tx, ctx, id);
  if (others === 0) throw lastAdministrator();
  await store.deleteMember(tx, ctx.clientId, userId);
  await retireTokens(tx, { clientId: ctx.clientId, userId }, ROLES, ctx.clock.timestamp());
}

/** The member, and how many others administer the client, which stays true until the transaction ends. */
async function readLocked(tx: Tx, ctx: ClientContext, id: number) {
  const member = await store.readMember(tx, ctx.clientId, id);
  if (!member) throw new NotFound(`User ${id} was not found`);
  await lockTokens(tx, ctx.clientId);
  const others = await store.countOtherAdministrators(tx, ctx.clientId, member.id);
  return { userId: member.id, others };
}

const lastAdministrator = () => new Forbidden('An account keeps at least one administrator');
