import { sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { inserted, insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import type { AssignableRole } from './assignable-roles.ts';

const ASSIGNMENT_COLUMNS = [
  ...(['id', 'client_id', 'project_id', 'role', 'assigned_by', 'created_at', 'updated_at'] as const),
] as const;
/** Whose role it is: a member, or somebody who is invited. */
const PERSON = 'coalesce(user_id, invited_id)';
const COLUMNS = `${listOf(ASSIGNMENT_COLUMNS)}, ${PERSON} as user_id`;

export type AssignmentRow = RowOf<'role_assignments', typeof ASSIGNMENT_COLUMNS, { role: AssignableRole }> & {
  readonly user_id: number;
};

export interface AssignmentFilter {
  readonly clientId: number;
  readonly userId?: number | undefined;
  readonly projectId?: number | undefined;
}

/** In the order of their ids. */
export function listAssignments(
  db: Queryable,
  { clientId, userId, projectId }: AssignmentFilter,
  page: Paging,
) {
  return listPage<AssignmentRow>(db, {
    ...{ table: 'role_assignments', alias: 'a', columns: COLUMNS, ...page },
    where: [
      sql`client_id = ${clientId}::int`,
      ...(userId === undefined ? [] : [sql`${sql.raw(PERSON)} = ${userId}::int`]),
      ...(projectId === undefined ? [] : [sql`project_id = ${projectId}::int`]),
    ],
    order: 'id',
  });
}

/** The roles of users in a client beside their memberships'. */
export async function readRolesOf(
  db: Queryable,
  clientId: number,
  userIds: readonly number[],
): Promise<AssignmentRow[]> {
  return db.named<AssignmentRow>(
    'assignment_of_users',
    `select ${COLUMNS} from role_assignments where client_id = $1 and (user_id = any($2::int[]) or invited_id = any($2::int[]))`,
    [clientId, userIds],
  );
}

export async function readAssignment(db: Queryable, clientId: number, id: number) {
  return db.namedRow<AssignmentRow>(
    'assignment_get',
    `select ${COLUMNS} from role_assignments where client_id = $1 and id = $2`,
    [clientId, id],
  );
}

export interface Assignment {
  readonly clientId: number;
  readonly userId: number;
  /** The user has not accepted an invitation yet. */
  readonly isInvited: boolean;
  readonly projectId: number | null;
  readonly role: AssignableRole;
  readonly assignedBy: number;
  readonly timestamp: string;
}

export async function countAssignments(tx: Tx, clientId: number): Promise<number> {
  return tx.namedNumber(
    'assignments_of_client',
    'select count(*)::int as count from role_assignments where client_id = $1',
    [clientId],
  );
}

const columnsOf = (assignment: Assignment) => ({
  user_id: assignment.isInvited ? null : assignment.userId,
  invited_id: assignment.isInvited ? assignment.userId : null,
  project_id: assignment.projectId,
  role: assignment.role,
  assigned_by: assignment.assignedBy,
});

/** Gives the roles of somebody who was invited to the member that they have become. */
export async function acceptAssignments(tx: Tx, invitedId: number, userId: number): Promise<void> {
  await tx.named(
    'assignment_accept',
    'update role_assignments set user_id = $2, invited_id = null where invited_id = $1',
    [invitedId, userId],
  );
}

/** @throws the database's error of a constraint `role_assignments_…place` when the user has a role there */
export async function insertAssignment(tx: Tx, assignment: Assignment): Promise<AssignmentRow> {
  const { clientId, timestamp } = assignment;
  const columns = { client_id: clientId, ...columnsOf(assignment), created_at: timestamp };
  const insertion = insertionOf('role_assignments', columns, COLUMNS);
  return inserted(await tx.namedRow<AssignmentRow>('assignment_insert', ...insertion));
}

/** @throws as `insertAssignment` */
export async function updateAssignment(tx: Tx, id: number, assignment: Assignment): Promise<void> {
  const to = columnsOf(assignment);
  await tx.named(
    'assignment_update',
    `update role_assignments set user_id = $2, invited_id = $3, project_id = $4, role = $5, assigned_by = $6,
            updated_at = $7
      where id = $1`,
    [id, to.user_id, to.invited_id, to.project_id, to.role, to.assigned_by, assignment.timestamp],
  );
}

export async function deleteAssignment(tx: Tx, id: number): Promise<void> {
  await tx.named('assignment_delete', 'delete from role_assignments where id = $1', [id]);
}
