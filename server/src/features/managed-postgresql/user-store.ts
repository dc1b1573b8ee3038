import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';

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
  return db.named<UserRow>(
    'postgresql_users_read',
    `select ${COLUMNS} from postgresql_users where cluster_id = any($1::uuid[]) order by name`,
    [clusterIds],
  );
}

/** One that is left over from a task that was lost is written over. */
export async function insertUser(tx: Tx, user: Omit<UserRow, 'next_verifier'>): Promise<void> {
  await tx.named(
    'postgresql_user_insert',
    `insert into postgresql_users (cluster_id, name, verifier, key_id, sealed_password) values ($1, $2, $3, $4, $5)
     on conflict (cluster_id, name) do update set verifier = excluded.verifier, next_verifier = null,
       key_id = excluded.key_id, sealed_password = excluded.sealed_password`,
    [user.cluster_id, user.name, user.verifier, user.key_id, user.sealed_password],
  );
}

export async function deleteUsers(tx: Tx, clusterId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.named(
    'postgresql_users_delete',
    'delete from postgresql_users where cluster_id = $1 and name = any($2::text[])',
    [clusterId, names],
  );
}

/** Forgets the password, which is about to be shown: nobody sees it again. */
export async function forgetPassword(tx: Tx, clusterId: string, name: string): Promise<void> {
  await tx.named(
    'postgresql_user_shown',
    'update postgresql_users set key_id = null, sealed_password = null where cluster_id = $1 and name = $2',
    [clusterId, name],
  );
}

export async function setNextVerifier(
  tx: Tx,
  clusterId: string,
  name: string,
  verifier: string,
): Promise<void> {
  await tx.named(
    'postgresql_user_next',
    'update postgresql_users set next_verifier = $3 where cluster_id = $1 and name = $2',
    [clusterId, name, verifier],
  );
}

/** New credentials count from now on; the password that was sealed is no longer one. */
export async function activateNextVerifiers(tx: Tx, clusterId: string): Promise<void> {
  await tx.named(
    'postgresql_users_activate_next',
    `update postgresql_users set verifier = next_verifier, next_verifier = null, key_id = null, sealed_password = null
      where cluster_id = $1 and next_verifier is not null`,
    [clusterId],
  );
}

export async function dropNextVerifiers(tx: Tx, clusterId: string): Promise<void> {
  await tx.named(
    'postgresql_users_drop_next',
    'update postgresql_users set next_verifier = null where cluster_id = $1 and next_verifier is not null',
    [clusterId],
  );
}

/** Rows whose password is sealed under another key, locked. */
export async function lockSealedNotUnder(tx: Tx, keyId: string): Promise<UserRow[]> {
  return tx.named<UserRow>(
    'postgresql_users_sealed',
    `select ${COLUMNS} from postgresql_users where key_id is not null and key_id <> $1
      order by cluster_id, name for update`,
    [keyId],
  );
}

export async function reseal(tx: Tx, user: UserRow): Promise<void> {
  await tx.named(
    'postgresql_user_reseal',
    'update postgresql_users set key_id = $3, sealed_password = $4 where cluster_id = $1 and name = $2',
    [user.cluster_id, user.name, user.key_id, user.sealed_password],
  );
}
