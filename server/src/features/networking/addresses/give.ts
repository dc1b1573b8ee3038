import { addressText, parseRange, usableAddresses } from '../../../kernel/ip.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';

/** Addresses of a subnet, given to ports inside the caller's transaction. */

export interface AddressRoom {
  readonly regionId: number;
  /** Where the address is unique: the whole region, or the network that has its addresses to itself. */
  readonly space: string;
  /** null: the region's own subnet. */
  readonly subnetId: string | null;
  readonly cidr: string;
  readonly gateway: string | null;
}

/** Ranges beyond this many addresses are searched from a place of the port's own, smaller ones from their start. */
const SEARCHED_FROM_START = 65_536n;

/** One giver of addresses at a time in each of these spaces, until its transaction ends: no two look for the same
 *  address. Who needs several spaces locks them in one call, so that no two wait for each other.
 *  @param spaces where addresses are unique, see `AddressRoom` */
export async function lockAddresses(tx: Tx, regionId: number, spaces: readonly string[]): Promise<void> {
  if (spaces.length === 0) return;
  await tx.run(sql`select pg_advisory_xact_lock(hashtext('ports'), key) from (
       select distinct hashtext(${regionId}::int || ' ' || space) as key from unnest(${spaces}::text[]) space order by key) keys`);
}

/** @returns false when something has this address already */
export async function giveAddress(
  tx: Tx,
  room: AddressRoom,
  address: string,
  owner: string,
): Promise<boolean> {
  return tx.any(sql`insert into region_addresses (region_id, space, address, owner_id, subnet_id)
     values (${room.regionId}, ${room.space}, ${address}::inet, ${owner}, ${room.subnetId}) on conflict do nothing returning 1`);
}

/** Gives the port a free address of the subnet.
 *  @returns undefined when there is none */
export async function giveAnyAddress(tx: Tx, room: AddressRoom, owner: string): Promise<string | undefined> {
  for (;;) {
    const free = await findAnyAddress(tx, room, numberOf(owner));
    // What the region's provider gives is given without waiting for us, so that one may be gone meanwhile.
    if (free === undefined || (await giveAddress(tx, room, free, owner))) return free;
  }
}

/** A free address of the subnet, which stays free while the caller has locked addresses.
 *  @param seed some number, for where to begin in a large range; absent: at its start
 *  @returns undefined when there is none */
export async function findAnyAddress(
  tx: Tx,
  room: Omit<AddressRoom, 'subnetId'>,
  seed?: bigint,
): Promise<string | undefined> {
  const range = parseRange(room.cidr);
  const usable = range && usableAddresses(range);
  if (!usable) return undefined;
  const [first, last] = usable;
  const size = last - first + 1n;
  const start = seed !== undefined && size > SEARCHED_FROM_START ? first + (seed % size) : first;
  // From there to the end, then the part before it.
  const parts: readonly (readonly [bigint, bigint])[] =
    start === first
      ? [[first, last]]
      : [
          [start, last],
          [first, start],
        ];
  for (const [from, to] of parts) {
    const [low, high] = [addressText(range.version, from), addressText(range.version, to)];
    const free = await lowestFree(tx, room, low, high);
    if (free !== undefined) return free;
  }
  return undefined;
}

/** The lowest address between two that nothing has: the first, or one behind the gateway or another one's. Read once
 *  in their order up to the first gap, however the table has grown since PostgreSQL last looked at it. */
async function lowestFree(
  tx: Tx,
  room: Omit<AddressRoom, 'subnetId'>,
  from: string,
  to: string,
): Promise<string | undefined> {
  const [row] = await tx.rows<{ address: string }>(sql`with candidates as (
       select ${from}::inet as address
       union all select ${room.gateway}::inet + 1 where ${room.gateway}::inet between ${from}::inet and ${to}::inet
       union all (
         select a.address + 1 from (
           select address, lead(address) over (order by address) as next from region_addresses
            where region_id = ${room.regionId} and space = ${room.space} and address >= ${from}::inet and address <= ${to}::inet) a
          where a.address < ${to}::inet and a.address + 1 is distinct from a.next
            and a.address + 1 is distinct from ${room.gateway}::inet
          order by a.address limit 1))
     select host(c.address) as address from candidates c
      where c.address <= ${to}::inet and c.address is distinct from ${room.gateway}::inet
        and not exists (select from region_addresses t
                         where t.region_id = ${room.regionId} and t.space = ${room.space} and t.address = c.address)
      order by c.address limit 1`);
  return row?.address;
}

/** Some number that is the same for the same id. */
const numberOf = (id: string) => BigInt(`0x${id.replaceAll('-', '')}`);

/** Gives a port another address instead of one that it has. */
export async function moveAddress(tx: Tx, portId: string, from: string, to: string): Promise<void> {
  await tx.run(
    sql`update region_addresses set address = ${to}::inet where owner_id = ${portId} and address = ${from}::inet`,
  );
}

/** Releases addresses of a port. */
export async function freeAddresses(tx: Tx, owner: string, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  await tx.run(
    sql`delete from region_addresses where owner_id = ${owner} and address = any(${addresses}::inet[])`,
  );
}
