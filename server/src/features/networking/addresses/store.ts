import { constraintOf, type Queryable } from '../../../platform/database/db.ts';
import { given } from './sql.ts';

export interface Stored {
  readonly table: string;
  /** Of the row. */
  readonly key: string;
  /** The column that keeps the address for lists. */
  readonly address: string;
  /** SQL for where the address is unique, who owns it, and its subnet; of the row. */
  readonly space: string;
  readonly owner: string;
  readonly subnet: string;
}

/** @returns the address that the row has then; undefined when something else in the region has this one, or there is
 *    no such row */
export type StoreAddress = (db: Queryable, key: string, address: string) => Promise<string | undefined>;

/** What gives the row of a table an address, unless it has one. */
export function storingAddress(columns: Stored): StoreAddress {
  const name = `${columns.table}_store_${columns.address}`;
  const statement = stored(columns);
  return async (db, key, address) => {
    try {
      const [row] = await db.named<{ address: string }>(name, statement, [key, address]);
      return row?.address;
    } catch (error) {
      if (constraintOf(error) === 'region_addresses_pkey') return undefined;
      throw error;
    }
  };
}

const stored = ({ table, key, address, space, owner, subnet }: Stored): string => `
  with old as (select ${key} as stored_key, ${address} as stored_address from ${table} where ${key} = $1 for update),
       changed as (
         update ${table} set ${address} = $2::inet from old
          where ${key} = stored_key and stored_address is null
         returning region_id, ${space} as space, ${address} as address, ${owner} as owner_id, ${subnet} as subnet_id),
       ${given('select * from changed')}
  select coalesce(changed.address, stored_address) as address from old left join changed on true`;
