import type { Queryable } from '../../../platform/database/db.ts';
import { sql } from '../../../platform/database/sql.ts';
import type { Entry as EntryOf } from '../../../platform/drift/reconciler.ts';
import { desiredFloatingIp, readFloatingIps, readFloatingIpsIn } from '../floating-ips/index.ts';
import {
  type DesiredNoun,
  desiredSubnet,
  type Noun,
  readNetworks,
  readNetworksIn,
  readSubnets,
  readSubnetsIn,
} from '../networks/index.ts';
import { desiredPort, type PortRow, readOwnPortsIn, readPorts } from '../ports/index.ts';
import { desiredRouter, readRouters, readRoutersInRegion } from '../routers/index.ts';

type Entry = EntryOf<DesiredNoun>;

interface Row {
  readonly id: string;
  readonly project_id: number | null;
  readonly region_id: number;
  readonly task_id: string | null;
}

function entriesOf<Each extends Row>(
  rows: readonly Each[],
  desired: (row: Each) => DesiredNoun | null,
): Entry[] {
  return rows.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    regionId: row.region_id,
    isHeld: row.task_id !== null,
    desired: desired(row),
  }));
}

const desiredNetwork = ({ id, external }: { id: string; external: boolean }): DesiredNoun | null =>
  external ? null : { kind: 'network', id };
/** Others come and go with what has them. */
const desiredOwn = (row: PortRow): DesiredNoun | null =>
  (row.reserved || row.device_type === 'instance') && row.ip_assignments.length > 0 ? desiredPort(row) : null;

/** Those of an instance are its task's, too. */
async function portEntries(db: Queryable, rows: readonly PortRow[]): Promise<Entry[]> {
  const devices = rows.flatMap(({ device_id: id, device_type: type }) =>
    type === 'instance' && id ? [id] : [],
  );
  const busy = await db.rows<{ id: string }>(
    sql`select id from instances where id = any(${devices}::uuid[]) and task_id is not null`,
  );
  const held = new Set(busy.map(({ id }) => id));
  return entriesOf(rows, desiredOwn).map((entry, index) => {
    const isHeld = entry.isHeld || held.has(rows[index]?.device_id ?? '');
    return Object.assign({}, entry, { isHeld });
  });
}

/** Everything that a region is to have. */
export async function readNouns(db: Queryable, regionId: number): Promise<readonly Entry[]> {
  return [
    ...entriesOf(await readNetworksIn(db, regionId), desiredNetwork),
    ...entriesOf(await readSubnetsIn(db, regionId), desiredSubnet),
    ...entriesOf(await readRoutersInRegion(db, regionId), desiredRouter),
    ...(await portEntries(db, await readOwnPortsIn(db, regionId))),
    ...entriesOf(await readFloatingIpsIn(db, regionId), desiredFloatingIp),
  ];
}

/** One of them as it is at this moment; undefined: there is no such thing. */
export async function readNoun(db: Queryable, { kind, id }: Noun): Promise<Entry | undefined> {
  const [entry] = await entriesNow(db, kind, [id]);
  return entry;
}

async function entriesNow(db: Queryable, kind: Noun['kind'], ids: readonly string[]): Promise<Entry[]> {
  switch (kind) {
    case 'network':
      return entriesOf(await readNetworks(db, ids), desiredNetwork);
    case 'subnet':
      return entriesOf(await readSubnets(db, ids), desiredSubnet);
    case 'router':
      return entriesOf(await readRouters(db, ids), desiredRouter);
    case 'port':
      return portEntries(db, await readPorts(db, ids));
    case 'floating_ip':
      return entriesOf(await readFloatingIps(db, ids), desiredFloatingIp);
    case 'security_group':
      return [];
  }
}
