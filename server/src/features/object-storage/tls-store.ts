import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { StorageRow } from './model.ts';

export type TlsKeyRow = Pick<StorageRow, 'id' | 'tls_key_id' | 'sealed_tls_key'>;

export interface Tls {
  readonly ca_certificate: string;
  readonly server_certificate: string;
  readonly tls_key_id: string;
  readonly sealed_tls_key: Buffer;
}

/** What a storage that the task holds proves itself with. */
export async function setTls(db: Queryable, id: number, taskId: string, tls: Tls): Promise<void> {
  await db.run(sql`update object_storages
        set ca_certificate = ${tls.ca_certificate}, server_certificate = ${tls.server_certificate},
            tls_key_id = ${tls.tls_key_id}, sealed_tls_key = ${tls.sealed_tls_key}
      where id = ${id} and task_id = ${taskId}`);
}

/** Rows whose private key is sealed under another key, locked. */
export async function lockTlsNotUnder(tx: Tx, keyId: string): Promise<TlsKeyRow[]> {
  return tx.rows<TlsKeyRow>(sql`select id, tls_key_id, sealed_tls_key from object_storages
      where tls_key_id is not null and tls_key_id <> ${keyId} order by id for update`);
}

export async function setTlsKey(tx: Tx, row: TlsKeyRow): Promise<void> {
  await tx.run(
    sql`update object_storages set tls_key_id = ${row.tls_key_id}, sealed_tls_key = ${row.sealed_tls_key} where id = ${row.id}`,
  );
}

/** Authorities of storages that serve and are nearly as old as an authority may become.
 *  @param days that an authority is valid for */
export async function readOldAuthorities(db: Db, before: Date, days: number) {
  return db.rows<{
    of: string;
    ca_certificate: string;
  }>(sql`select 'storage ' || name as of, ca_certificate from object_storages
      where ca_certificate is not null and address is not null
        and created_at < ${before}::timestamptz - make_interval(days => ${days})
      order by created_at limit 1000`);
}
