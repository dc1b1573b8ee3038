import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Paging } from '../../platform/database/list-page.ts';
import { inserted, insertionOf } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { AssignableRole } from './assignable-roles.ts';

const ASSIGNMENT_COLUMNS = [
  'id',
  'client_id',
  'project_id',
  'role',
  'assigned_by',
  'created_at',
  'updated_at',
] as const;
/** Whose role it is: a member, or somebody who is invited. */
const PERSON = sql`coalesce(user_id, invited_id)`;
const COLUMNS = sql`${listOf(ASSIGNMENT_COLUMNS)}, ${PERSON} as user_id`;

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
    table: 'role_assignments',
    alias: 'a',
    columns: COLUMNS,
    ...page,
    where: [
      sql`client_id = ${clientId}::int`,
      ...(userId === undefined ? [] : [sql`${PERSON} = ${userId}::int`]),
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
  return db.rows<AssignmentRow>(
    sql`select ${COLUMNS} from role_assignments where client_id = ${clientId} and (user_id = any(${userIds}::int[]) or invited_id = any(${userIds}::int[]))`,
  );
}

export async function readAssignment(db: Queryable, clientId: number, id: number) {
  return db.row<AssignmentRow>(
    sql`select ${COLUMNS} from role_assignments where client_id = ${clientId} and id = ${id}`,
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
  return tx.number(sql`select count(*)::int as count from role_assignments where client_id = ${clientId}`);
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
  await tx.run(
    sql`update role_assignments set user_id = ${userId}, invited_id = null where invited_id = ${invitedId}`,
  );
}

/** @throws the database's error of a constraint `role_assignments_…place` when the user has a role there */
export async function insertAssignment(tx: Tx, assignment: Assignment): Promise<AssignmentRow> {
  const { clientId, timestamp } = assignment;
  const columns = { client_id: clientId, ...columnsOf(assignment), created_at: timestamp };
  const insertion = insertionOf('role_assignments', columns, COLUMNS);
  return inserted(await tx.row<AssignmentRow>(insertion));
}

/** @throws as `insertAssignment` */
export async function updateAssignment(tx: Tx, id: number, assignment: Assignment): Promise<void> {
  const to = columnsOf(assignment);
  await tx.run(sql`update role_assignments set user_id = ${to.user_id}, invited_id = ${to.invited_id}, project_id = ${to.project_id}, role = ${to.role}, assigned_by = ${to.assigned_by},
            updated_at = ${assignment.timestamp}
      where id = ${id}`);
}

export async function deleteAssignment(tx: Tx, id: number): Promise<void> {
  await tx.run(sql`delete from role_assignments where id = ${id}`);
}
