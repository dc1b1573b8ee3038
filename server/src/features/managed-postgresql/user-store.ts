import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';

/** SQL of the credentials of users. */

const USER_COLUMNS = [
  'cluster_id',
  'name',
  'verifier',
  'next_verifier',
  'key_id',
  'sealed_password',
] as const;
const COLUMNS = listOf(USER_COLUMNS);

export type UserRow = RowOf<'postgresql_users', typeof USER_COLUMNS>;

export async function readUsers(db: Queryable, clusterIds: readonly string[]): Promise<UserRow[]> {
  return db.rows<UserRow>(
    sql`select ${COLUMNS} from postgresql_users where cluster_id = any(${clusterIds}::uuid[]) order by name`,
  );
}

/** One that is left over from a task that was lost is written over. */
export async function insertUser(tx: Tx, user: Omit<UserRow, 'next_verifier'>): Promise<void> {
  await tx.run(sql`insert into postgresql_users (cluster_id, name, verifier, key_id, sealed_password) values (${user.cluster_id}, ${user.name}, ${user.verifier}, ${user.key_id}, ${user.sealed_password})
     on conflict (cluster_id, name) do update set verifier = excluded.verifier, next_verifier = null,
       key_id = excluded.key_id, sealed_password = excluded.sealed_password`);
}

export async function deleteUsers(tx: Tx, clusterId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.run(
    sql`delete from postgresql_users where cluster_id = ${clusterId} and name = any(${names}::text[])`,
  );
}

/** Forgets the password, which is about to be shown: nobody sees it again. */
export async function forgetPassword(tx: Tx, clusterId: string, name: string): Promise<void> {
  await tx.run(
    sql`update postgresql_users set key_id = null, sealed_password = null where cluster_id = ${clusterId} and name = ${name}`,
  );
}

export async function setNextVerifier(
  tx: Tx,
  clusterId: string,
  name: string,
  verifier: string,
): Promise<void> {
  await tx.run(
    sql`update postgresql_users set next_verifier = ${verifier} where cluster_id = ${clusterId} and name = ${name}`,
  );
}

/** New credentials count from now on; the password that was sealed is no longer one. */
export async function activateNextVerifiers(tx: Tx, clusterId: string): Promise<void> {
  await tx.run(sql`update postgresql_users set verifier = next_verifier, next_verifier = null, key_id = null, sealed_password = null
      where cluster_id = ${clusterId} and next_verifier is not null`);
}

export async function dropNextVerifiers(tx: Tx, clusterId: string): Promise<void> {
  await tx.run(
    sql`update postgresql_users set next_verifier = null where cluster_id = ${clusterId} and next_verifier is not null`,
  );
}

/** Rows whose password is sealed under another key, locked. */
export async function lockSealedNotUnder(tx: Tx, keyId: string): Promise<UserRow[]> {
  return tx.rows<UserRow>(sql`select ${COLUMNS} from postgresql_users where key_id is not null and key_id <> ${keyId}
      order by cluster_id, name for update`);
}

export async function reseal(tx: Tx, user: UserRow): Promise<void> {
  await tx.run(
    sql`update postgresql_users set key_id = ${user.key_id}, sealed_password = ${user.sealed_password} where cluster_id = ${user.cluster_id} and name = ${user.name}`,
  );
}
