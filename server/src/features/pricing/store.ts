import type { Queryable } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';

/** What there is to pay for, read from where it is kept. */

type Place = RegionContext['place'];

export interface VolumeSize {
  readonly size: number;
  readonly type: string;
}

/** @returns GiB and the type; nothing for a volume that is not of the project and region */
export async function readVolume(
  db: Queryable,
  { projectId, regionId }: Place,
  id: string,
): Promise<VolumeSize | undefined> {
  return db.namedRow<VolumeSize>(
    'pricing_volume',
    'select size::int as size, type from volumes where id = $1 and project_id = $2 and region_id = $3',
    [id, projectId, regionId],
  );
}

/** The sizes of what snapshots were made of, in GiB, by the ids of those that are of the project and region. */
export async function readSnapshotSizes(
  db: Queryable,
  { projectId, regionId }: Place,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.named<{ id: string; size: number }>(
    'pricing_snapshots',
    `select id, size::int as size from volume_snapshots
      where id = any($1::uuid[]) and project_id = $2 and region_id = $3`,
    [ids, projectId, regionId],
  );
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
  { projectId, regionId }: Place,
  id: string,
): Promise<InstanceParts | undefined> {
  return db.namedRow<InstanceParts>(
    'pricing_instance',
    `select flavor->>'id' as flavor,
            coalesce((select json_agg(json_build_object('size', v.size, 'type', v.type)) from volumes v
                       where v.instance_id = i.id), '[]') as volumes,
            (select count(*)::int from floating_ips f join ports p on p.id = f.port_id
              where p.device_type = 'instance' and p.device_id = i.id) as floating_ips,
            (select count(*)::int from ports p join networks n on n.id = p.network_id and n.external
              where p.device_type = 'instance' and p.device_id = i.id) as external_ips
       from instances i where i.id = $1 and i.project_id = $2 and i.region_id = $3`,
    [id, projectId, regionId],
  );
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
  { projectId, regionId }: Place,
  name: string,
): Promise<readonly PoolParts[]> {
  return db.named<PoolParts>(
    'pricing_pools',
    `select p.flavor_id, p.node_count, p.boot_volume_size, p.boot_volume_type, p.is_public_ipv4
       from k8s_pools p join k8s_clusters c on c.id = p.cluster_id
      where c.name = $1 and c.project_id = $2 and c.region_id = $3 order by p.name`,
    [name, projectId, regionId],
  );
}
