import { constraintOf, type Queryable } from '../../../platform/database/db.ts';
import { raw, type Sql, sql } from '../../../platform/database/sql.ts';
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
  return async (db, key, address) => {
    try {
      const row = await db.row<{ address: string | null }>(storing(columns, key, address));
      return row?.address ?? undefined;
    } catch (error) {
      if (constraintOf(error) === 'region_addresses_pkey') return undefined;
      throw error;
    }
  };
}

function storing(columns: Stored, of: string, to: string): Sql {
  const [table, key, address] = [raw(columns.table), raw(columns.key), raw(columns.address)];
  return sql`
    with old as (
      select ${key} as stored_key, ${address} as stored_address from ${table} where ${key} = ${of} for update),
    changed as (
      update ${table} set ${address} = ${to}::inet from old
       where ${key} = stored_key and stored_address is null
      returning region_id, ${raw(columns.space)} as space, ${address} as address, ${raw(columns.owner)} as owner_id,
                ${raw(columns.subnet)} as subnet_id),
    ${given(sql`select * from changed`)}
    select coalesce(changed.address, stored_address) as address from old left join changed on true`;
}
