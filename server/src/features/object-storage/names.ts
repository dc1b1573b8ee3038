import { Conflict } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';

/** Names of storages, which are their own among all storages of an account, whatever their kind: statistics and
 *  thresholds know storages by their names. */

export const nameInUse = (name: string) => new Conflict(`A storage with the name ${name} exists already`);

/** Nobody else makes a storage of the account until the transaction ends. @throws Conflict for a name that is in use */
export async function nameIsFree(tx: Tx, clientId: number, name: string): Promise<void> {
  await tx.run(sql`select 1 from clients where id = ${clientId} for update`);
  const [row] = await tx.rows<{
    in_use: boolean;
  }>(sql`select exists (select from object_storages where client_id = ${clientId} and name = ${name} and status <> 'deleted')
         or exists (select from sftp_storages where client_id = ${clientId} and name = ${name} and status <> 'deleted') as in_use`);
  if (row?.in_use) throw nameInUse(name);
}
