import type { Queryable } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import type { RegionContext } from '../../platform/http/context.ts';

/** What there is to pay for, read from where it is kept. */

type Scope = RegionContext['scope'];

export interface VolumeSize {
  readonly size: number;
  readonly type: string;
}

/** @returns GiB and the type; nothing for a volume that is not of the project and region */
export async function readVolume(
  db: Queryable,
  { projectId, regionId }: Scope,
  id: string,
): Promise<VolumeSize | undefined> {
  return db.row<VolumeSize>(
    sql`select size::int as size, type from volumes where id = ${id} and project_id = ${projectId} and region_id = ${regionId}`,
  );
}

/** The sizes of what snapshots were made of, in GiB, by the ids of those that are of the project and region. */
export async function readSnapshotSizes(
  db: Queryable,
  { projectId, regionId }: Scope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.rows<{
    id: string;
    size: number;
  }>(sql`select id, size::int as size from volume_snapshots
      where id = any(${ids}::uuid[]) and project_id = ${projectId} and region_id = ${regionId}`);
  return new Map(rows.map(({ id, size }) => [id, size]));
}

export interface InstanceParts {
  readonly flavor: string;
  readonly volumes: readonly VolumeSize[];
  readonly floating_ips: number;
  readonly external_ips: number;
}

/** @returns nothing for an instance that is not of the project and region */
export async function readInstance(
  db: Queryable,
  { projectId, regionId }: Scope,
  id: string,
): Promise<InstanceParts | undefined> {
  return db.row<InstanceParts>(sql`select flavor->>'id' as flavor,
            coalesce((select json_agg(json_build_object('size', v.size, 'type', v.type)) from volumes v
                       where v.instance_id = i.id), '[]') as volumes,
            (select count(*)::int from floating_ips f join ports p on p.id = f.port_id
              where p.device_type = 'instance' and p.device_id = i.id) as floating_ips,
            (select count(*)::int from ports p join networks n on n.id = p.network_id and n.external
              where p.device_type = 'instance' and p.device_id = i.id) as external_ips
       from instances i where i.id = ${id} and i.project_id = ${projectId} and i.region_id = ${regionId}`);
}

export interface PoolParts {
  readonly flavor_id: string;
  readonly node_count: number;
  readonly boot_volume_size: number;
  readonly boot_volume_type: string;
  readonly is_public_ipv4: boolean;
}

/** @returns the pools of a cluster; empty when there is no such cluster */
export async function readPools(
  db: Queryable,
  { projectId, regionId }: Scope,
  name: string,
): Promise<readonly PoolParts[]> {
  return db.rows<PoolParts>(sql`select p.flavor_id, p.node_count, p.boot_volume_size, p.boot_volume_type, p.is_public_ipv4
       from k8s_pools p join k8s_clusters c on c.id = p.cluster_id
      where c.name = ${name} and c.project_id = ${projectId} and c.region_id = ${regionId} order by p.name`);
}
