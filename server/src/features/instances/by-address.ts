import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { type AddressRange, rangesOfBeginning } from './address-ranges.ts';
import type { Place } from './model.ts';

/** Instances of which an address begins with a text. Addresses of nodes are columns, those of other machines and of
 *  the floating IPs that lead to them belong to their ports. */

/** From so many addresses on, instances are asked one after the other: most of the newest have one. */
const MANY_ADDRESSES = 10_000;

const escaped = (text: string) => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

/** A condition on an instance `i`. */
export async function addressBegins(db: Db, place: Place, begin: string): Promise<RawBuilder<unknown>> {
  const text = begin.toLowerCase();
  const start = `${escaped(text)}%`;
  const ranges = rangesOfBeginning(text);
  return ranges.length > 0 && (await haveMany(db, place, ranges))
    ? beginsHere(start)
    : found(place, start, ranges);
}

const within = (column: RawBuilder<unknown>, ranges: readonly AddressRange[]) =>
  ranges.length === 0
    ? sql`false`
    : sql`(${sql.join(
        ranges.map(({ from, to }) => sql`${column} between ${from}::inet and ${to}::inet`),
        sql` or `,
      )})`;

async function haveMany(db: Db, { regionId }: Place, ranges: readonly AddressRange[]): Promise<boolean> {
  const { rows } = await sql<{ many: boolean }>`select count(*) > ${MANY_ADDRESSES}::int as many from (
    select from region_addresses a where a.region_id = ${regionId}::int and ${within(sql`a.address`, ranges)}
     limit ${MANY_ADDRESSES}::int + 1) a`.execute(db.kysely);
  return rows[0]?.many ?? false;
}

/** All that begin so are found first, by indexes of addresses. */
function found(
  { projectId, regionId }: Place,
  start: string,
  ranges: readonly AddressRange[],
): RawBuilder<unknown> {
  const addresses = sql`select a.owner_id from region_addresses a where a.region_id = ${regionId}::int
    and ${within(sql`a.address`, ranges)} and host(a.address) like ${start}`;
  const nodes = (column: 'private_ip' | 'public_ip') => sql`select n.id from instances n
    where n.project_id = ${projectId}::int and n.region_id = ${regionId}::int and n.${sql.raw(column)} like ${start}`;
  return sql`i.id = any(array(
    select p.device_id from ports p where p.id in (${addresses})
    union select p.device_id from floating_ips f join ports p on p.id = f.port_id where f.id in (${addresses})
    union ${nodes('private_ip')} union ${nodes('public_ip')}))`;
}

/** The same, asked of one instance after the other. */
function beginsHere(start: string): RawBuilder<unknown> {
  return sql`(private_ip like ${start} or public_ip like ${start} or exists (
    select from ports p where p.device_id = i.id and (exists (
      select from region_addresses a where a.owner_id = p.id and host(a.address) like ${start}) or exists (
      select from floating_ips f where f.port_id = p.id and host(f.floating_ip_address) like ${start}))))`;
}
