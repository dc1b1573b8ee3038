import type { Ids } from '../../../kernel/ids.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import { OWN_PREFIX } from '../addresses/index.ts';

/** A region that is to have its own network, if it has none. */
export interface ExternalNetwork {
  readonly regionId: number;
  /** Its IPv4 range (CIDR). Its IPv6 range follows from the region's id. */
  readonly range: string;
  readonly publicRanges: readonly string[];
  readonly createdAt: Date;
}

/** Gives each of these regions that has none its external network, with its subnets. */
export async function addExternalNetworks(
  tx: Tx,
  networks: readonly ExternalNetwork[],
  ids: Ids,
): Promise<void> {
  const rows = networks.map(({ regionId, createdAt, ...ranges }) => ({
    id: ids.uuid(),
    region_id: regionId,
    at: createdAt.toISOString(),
    subnets: subnetsOf(regionId, ranges).map((subnet) => ({ id: ids.uuid(), ...subnet })),
  }));
  await tx.run(sql`with given as (
       select w.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w (id uuid, region_id int, at timestamptz, subnets jsonb)
        where not exists (select 1 from networks n where n.region_id = w.region_id and n.external)),
     added as (
       insert into networks (id, region_id, name, type, mtu, external, created_at, updated_at)
       select id, region_id, 'external', 'flat', 1500, true, at, at from given)
     insert into subnets (id, network_id, region_id, name, cidr, enable_dhcp, created_at, updated_at)
     select s.id, w.id, w.region_id, s.name, s.cidr::cidr, false, w.at + s.later * interval '1 microsecond', w.at
       from given w, jsonb_to_recordset(w.subnets) as s (id uuid, name text, cidr text, later int)`);
}

/** The public ranges come after the others in lists, which go by the time of creation. */
function subnetsOf(
  regionId: number,
  { range, publicRanges }: Pick<ExternalNetwork, 'range' | 'publicRanges'>,
) {
  return [
    { name: 'external', cidr: range, later: 0 },
    { name: 'external-ipv6', cidr: ipv6RangeOf(regionId), later: 0 },
    ...publicRanges.map((cidr) => ({ name: 'public', cidr, later: 1 })),
  ];
}

/** Each region has a range of its own among the unique local addresses (RFC 4193). */
const ipv6RangeOf = (regionId: number) =>
  OWN_PREFIX.replace('::/48', `:${(regionId % 65_536).toString(16)}::/64`);
