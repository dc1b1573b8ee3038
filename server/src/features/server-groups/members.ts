import { Conflict } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { CreateServerGroup } from './schema.ts';
import { lockGroup, type Scope } from './store.ts';

/** What instances need of server groups. An instance that is deleted leaves its group by itself. */

export interface GroupOfInstance {
  readonly id: string;
  readonly name: string;
  readonly policy: CreateServerGroup['policy'];
}

/** Puts an instance into a group, in the transaction that inserts it, or later.
 *  @throws NotFound for the group, Locked naming the task that deletes it, Conflict when the instance is in one */
export async function joinServerGroup(
  tx: Tx,
  join: Scope & { readonly groupId: string; readonly instanceId: string; readonly timestamp: string },
): Promise<void> {
  await lockGroup(tx, join.groupId, join);
  const joined =
    await tx.rows(sql`insert into server_group_members (instance_id, group_id, created_at) values (${join.instanceId}, ${join.groupId}, ${join.timestamp})
     on conflict (instance_id) do nothing returning 1`);
  if (joined.length > 0) return;
  const group = await readServerGroupOf(tx, join.instanceId);
  throw new Conflict(`Instance ${join.instanceId} is in server group ${group?.id} already`);
}

/** @returns the id of the group that the instance was in; undefined when it was in none */
export async function leaveServerGroup(tx: Tx, instanceId: string): Promise<string | undefined> {
  const [left] = await tx.rows<{ group_id: string }>(
    sql`delete from server_group_members where instance_id = ${instanceId} returning group_id`,
  );
  return left?.group_id;
}

export async function readServerGroupOf(
  db: Queryable,
  instanceId: string,
): Promise<GroupOfInstance | undefined> {
  const [group] =
    await db.rows<GroupOfInstance>(sql`select g.id, g.name, g.policy from server_group_members m join server_groups g on g.id = m.group_id
      where m.instance_id = ${instanceId}`);
  return group;
}
