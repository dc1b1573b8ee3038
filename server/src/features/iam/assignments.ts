import { nullable, zuluTime } from '../../kernel/codecs.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { rolesAbove } from '../../platform/auth/roles.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { readProject } from '../projects/index.ts';
import { ASSIGNABLE, type AssignableRole, clientRole, SCOPES } from './assignable-roles.ts';
import type { AssignmentsQuery, ClientUsersQuery, RequestAssignment } from './assignment-schema.ts';
import * as store from './assignment-store.ts';
import { lockPending, readPending } from './invitation-store.ts';
import { lockTokens, retireTokens } from './token-store.ts';
import { listMembers, type MemberRow, readMember } from './user-store.ts';

/** Roles in the client, and in single projects, beside the one that the membership gives. They count with the next
 *  request of the user's sessions; API tokens keep the role that they were made with. */

/** Of one client. */
export const MAX_ASSIGNMENTS = 5000;

function viewAssignment(row: store.AssignmentRow) {
  return {
    id: row.id,
    user_id: row.user_id,
    role: row.role,
    client_id: row.client_id,
    project_id: row.project_id,
    assigned_by: row.assigned_by,
    created_at: zuluTime(row.created_at),
    updated_at: nullable(zuluTime)(row.updated_at),
  };
}

/** The roles that can be assigned, and where. */
export function listRoles(query: { project_id?: number }) {
  const results = ASSIGNABLE.flatMap((role) => SCOPES[role].map((scope) => ({ role, scope }))).filter(
    ({ scope }) => query.project_id === undefined || scope === 'project',
  );
  return { count: results.length, results };
}

export async function listAssignments(ctx: RequestContext, query: AssignmentsQuery) {
  const { limit, offset, user_id, project_id } = query;
  const filter = { clientId: ctx.caller.clientId, userId: user_id, projectId: project_id };
  return viewPage(await store.listAssignments(ctx.db, filter, { limit, offset }), viewAssignment);
}

/** Members, and those who are invited. */
export async function listClientUsers(ctx: RequestContext, query: ClientUsersQuery) {
  const { limit, offset, user_id } = query;
  const { clientId } = ctx.caller;
  const now = ctx.clock.now();
  const { count, rows } =
    user_id === undefined
      ? await listMembers(ctx.db, clientId, { limit, offset, now })
      : single(
          (await readMember(ctx.db, clientId, user_id)) ??
            (await readPending(ctx.db, clientId, user_id, now)),
          offset,
        );
  const ids = rows.map(({ id }) => id);
  const assigned = await store.readRolesOf(ctx.db, clientId, ids);
  return { count, results: rows.map((row) => viewClientUser(row, assigned)) };
}

function single(row: MemberRow | undefined, offset: number) {
  const all = row ? [row] : [];
  return { count: all.length, rows: all.slice(offset) };
}

function viewClientUser(row: MemberRow, assigned: readonly store.AssignmentRow[]) {
  const own = assigned.filter(({ user_id }) => user_id === row.id);
  return {
    id: row.id,
    name: row.name ?? '',
    email: row.email,
    activated: row.password_hash !== null,
    is_admin: clientRole(row.role, own) === 'Administrators',
  };
}

/** @throws Invalid naming what is wrong, Conflict when the user has a role there, Forbidden for one too many */
export async function createAssignment(ctx: RequestContext, input: RequestAssignment) {
  return ctx.db
    .transaction(async (tx) => {
      const assignment = await check(tx, ctx, input);
      await refuseMore(tx, {
        what: 'assigned roles',
        owner: `account ${assignment.clientId}`,
        limit: MAX_ASSIGNMENTS,
        count: () => store.countAssignments(tx, assignment.clientId),
      });
      const row = await store.insertAssignment(tx, assignment);
      await recordAudit(tx, ctx, { action: 'assign_role', subject: row.id });
      return viewAssignment(row);
    })
    .catch(refusingSecondRole);
}

/** @throws Invalid naming what is wrong, Conflict, NotFound */
export async function changeAssignment(ctx: RequestContext, id: number, input: RequestAssignment) {
  await ctx.db
    .transaction(async (tx) => {
      const before = await readLocked(tx, ctx, id);
      await store.updateAssignment(tx, id, await check(tx, ctx, input));
      await retireExcess(tx, ctx, before.user_id);
      await recordAudit(tx, ctx, { action: 'change_assigned_role', subject: id });
    })
    .catch(refusingSecondRole);
  return { assignment_id: id };
}

/** @throws NotFound */
export async function deleteAssignment(ctx: RequestContext, id: number) {
  await ctx.db.transaction(async (tx) => {
    const before = await readLocked(tx, ctx, id);
    await store.deleteAssignment(tx, id);
    await retireExcess(tx, ctx, before.user_id);
    await recordAudit(tx, ctx, { action: 'remove_assigned_role', subject: id });
  });
  return { assignment_id: id };
}

async function readLocked(tx: Tx, ctx: RequestContext, id: number): Promise<store.AssignmentRow> {
  await lockTokens(tx, ctx.caller.clientId);
  const row = await store.readAssignment(tx, ctx.caller.clientId, id);
  if (!row) throw new NotFound(`Role assignment ${id} was not found`);
  return row;
}

/** Ends API tokens that the user made and that may more than the user may now. */
async function retireExcess(tx: Tx, ctx: RequestContext, userId: number): Promise<void> {
  const { clientId } = ctx.caller;
  const member = await readMember(tx, clientId, userId);
  if (!member) return;
  const role = clientRole(member.role, await store.readRolesOf(tx, clientId, [userId]));
  await retireTokens(tx, { clientId, userId }, rolesAbove(role), ctx.clock.timestamp());
}

async function check(tx: Tx, ctx: RequestContext, input: RequestAssignment): Promise<store.Assignment> {
  const { clientId, userId: assignedBy } = ctx.caller;
  const faults = new Faults();
  if (input.client_id != null && input.client_id !== clientId)
    faults.add('client_id', `must be ${clientId}, the account of the caller`);
  const member = await readMember(tx, clientId, input.user_id);
  const person = member ?? (await lockPending(tx, clientId, input.user_id, ctx.clock.now()));
  if (!person) faults.add('user_id', 'is neither a member of the account nor invited');
  const projectId = input.project_id ?? null;
  if (projectId !== null && !(await readProject(tx, projectId, clientId)))
    faults.add('project_id', 'is no project of the account');
  const role = assignable(input.role, projectId, faults);
  const userId = faults.require(person).id;
  const timestamp = ctx.clock.timestamp();
  const isInvited = member === undefined;
  return { clientId, userId, isInvited, projectId, role: faults.require(role), assignedBy, timestamp };
}

function assignable(name: string, projectId: number | null, faults: Faults): AssignableRole | undefined {
  const role = ASSIGNABLE.find((each) => each === name);
  const scope = projectId === null ? 'client' : 'project';
  if (!role) faults.add('role', `is not offered here; use one of ${ASSIGNABLE.join(', ')}`);
  else if (!SCOPES[role].includes(scope))
    faults.add(
      'role',
      scope === 'client' ? `${role} needs a project_id` : `${role} must not have a project_id`,
    );
  return role;
}

const UNIQUE = ['role_assignments_place', 'role_assignments_invited_place'];

function refusingSecondRole(error: unknown): never {
  if (!UNIQUE.includes(constraintOf(error) ?? '')) throw error;
  throw new Conflict('The user has a role there already; change that one');
}
