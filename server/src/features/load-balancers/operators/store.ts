import type { Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { StoredTags } from '../../../platform/http/tags.ts';
import type { DdosProfileRecord } from '../schema-ddos.ts';

/** What operators may change of any client's load balancer. */
export interface OperatedRow {
  readonly id: string;
  readonly project_id: number;
  readonly region_id: number;
  readonly tags: StoredTags;
  readonly task_id: string | null;
}

/** The row, locked until the transaction ends. */
export async function lockAnybodys(tx: Tx, id: string): Promise<OperatedRow | undefined> {
  return tx.row<OperatedRow>(
    sql`select id, project_id, region_id, tags, task_id from load_balancers where id = ${id} for update`,
  );
}

export async function writeProfile(
  tx: Tx,
  id: string,
  profile: Omit<DdosProfileRecord, 'id'>,
  timestamp: string,
): Promise<DdosProfileRecord> {
  const [row] = await tx.rows<{
    id: number;
  }>(sql`insert into lb_ddos_profiles (load_balancer_id, profile, updated_at) values (${id}, ${JSON.stringify(profile)}, ${timestamp})
     on conflict (load_balancer_id) do update set profile = excluded.profile, updated_at = excluded.updated_at
     returning id`);
  if (!row) throw new Error('the profile was not written');
  return { id: row.id, ...profile };
}

/** @returns whether there was one */
export async function deleteProfile(tx: Tx, id: string): Promise<boolean> {
  return tx.any(sql`delete from lb_ddos_profiles where load_balancer_id = ${id} returning 1`);
}

export async function writeTags(tx: Tx, id: string, tags: StoredTags, timestamp: string): Promise<void> {
  await tx.run(
    sql`update load_balancers set tags = ${JSON.stringify(tags)}, updated_at = ${timestamp} where id = ${id}`,
  );
}
