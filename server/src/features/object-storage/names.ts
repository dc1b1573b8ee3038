import { Conflict } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';

/** Names of storages, which are their own among all storages of an account, whatever their kind: statistics and
 *  thresholds know storages by their names. */

export const nameInUse = (name: string) => new Conflict(`A storage with the name ${name} exists already`);

/** Nobody else makes a storage of the account until the transaction ends. @throws Conflict for a name that is in use */
export async function nameIsFree(tx: Tx, clientId: number, name: string): Promise<void> {
  await tx.named('storage_name_client', 'select 1 from clients where id = $1 for update', [clientId]);
  const [row] = await tx.named<{ in_use: boolean }>(
    'storage_name_taken',
    `select exists (select from object_storages where client_id = $1 and name = $2 and status <> 'deleted')
         or exists (select from sftp_storages where client_id = $1 and name = $2 and status <> 'deleted') as in_use`,
    [clientId, name],
  );
  if (row?.in_use) throw nameInUse(name);
}
