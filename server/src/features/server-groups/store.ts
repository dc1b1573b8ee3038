import { type NameFilter, named } from '../../platform/database/contains.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { heldTable } from '../../platform/database/held-table.ts';
import { listPage, newestIn, type Page, type Paging } from '../../platform/database/list-page.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Scope } from '../../platform/http/context.ts';
import type { CreateServerGroup } from './schema.ts';

export type { Scope };

const COLUMNS = ['id', 'project_id', 'region_id', 'name', 'policy', 'task_id'] as const;

export interface GroupRow
  extends RowOf<'server_groups', typeof COLUMNS, { policy: CreateServerGroup['policy'] }> {
  /** Oldest member first. */
  readonly instances: readonly { readonly instance_id: string; readonly instance_name: string }[];
}

const SHOWN = sql`${listOf(COLUMNS, 'g')}, coalesce((
    select jsonb_agg(jsonb_build_object('instance_id', i.id, 'instance_name', i.name) order by m.created_at, i.id)
      from server_group_members m join instances i on i.id = m.instance_id where m.group_id = g.id), '[]') as instances`;

/** One that is locked gets no new members; its own are as they are then. */
export const {
  read: readGroup,
  lockFree: lockGroup,
  hold: holdGroup,
  deleteHeld: deleteGroup,
} = heldTable<GroupRow>('server_groups', 'Server group', {
  columns: SHOWN,
  alias: 'g',
  readAfterLock: true,
});

interface NewGroup extends Scope, CreateServerGroup {
  readonly id: string;
  readonly clientId: number;
  readonly timestamp: string;
}

export async function insertGroup(tx: Tx, group: NewGroup): Promise<void> {
  await tx.run(sql`insert into server_groups (id, project_id, region_id, client_id, name, policy, created_at)
     values (${group.id}, ${group.projectId}, ${group.regionId}, ${group.clientId}, ${group.name}, ${group.policy}, ${group.timestamp})`);
}

/** The newest groups first, a page of them, and how many there are. */
export function listGroups(
  db: Db,
  list: Scope & Pick<NameFilter, 'namePart'> & Paging,
): Promise<Page<GroupRow>> {
  const { limit, offset, namePart } = list;
  const { where, order } = newestIn(list);
  return listPage<GroupRow>(db, {
    table: 'server_groups',
    alias: 'g',
    columns: SHOWN,
    where: [...where, ...named({ namePart })],
    order,
    limit,
    offset,
  });
}
