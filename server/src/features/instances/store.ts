import { sql } from 'kysely';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { parseOrder } from '../../platform/http/schemas.ts';
import type { StoredTags } from '../../platform/http/tags.ts';
import type { Flavor } from '../flavors/index.ts';
import type { InstanceListQuery } from './schema.ts';

export interface InstanceRow {
  readonly id: string;
  readonly client_id: number;
  readonly project_id: number;
  readonly region_id: number;
  readonly name: string;
  readonly flavor: Flavor;
  readonly status: string;
  readonly vm_state: string;
  readonly private_ip: string;
  readonly public_ip: string | null;
  readonly network_name: string;
  readonly network_id: string;
  readonly subnet_id: string;
  readonly security_groups: readonly string[];
  readonly ssh_key_name: string | null;
  readonly volumes: readonly { readonly id: string; readonly delete_on_termination: boolean }[];
  readonly tags: StoredTags;
  readonly cluster_id: string | null;
  readonly creator_task_id: string | null;
  readonly task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type NewInstance = Omit<
  InstanceRow,
  'status' | 'vm_state' | 'task_id' | 'created_at' | 'updated_at'
> & { readonly timestamp: string };

/** A machine that is being built. */
export async function insertInstance(tx: Tx, row: NewInstance): Promise<void> {
  await tx.named(
    'instance_insert',
    `insert into instances (id, client_id, project_id, region_id, name, flavor, status, vm_state, private_ip,
       public_ip, network_name, network_id, subnet_id, security_groups, ssh_key_name, volumes, tags, cluster_id,
       creator_task_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'BUILD', 'building', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18)`,
    [
      row.id,
      row.client_id,
      row.project_id,
      row.region_id,
      row.name,
      JSON.stringify(row.flavor),
      row.private_ip,
      row.public_ip,
      row.network_name,
      row.network_id,
      row.subnet_id,
      row.security_groups,
      row.ssh_key_name,
      JSON.stringify(row.volumes),
      JSON.stringify(row.tags),
      row.cluster_id,
      row.creator_task_id,
      row.timestamp,
    ],
  );
}

/** Says of machines that they are up, or that they were and no longer are. */
export async function markInstances(
  tx: Tx,
  ids: readonly string[],
  status: 'ACTIVE' | 'ERROR',
  timestamp: string,
): Promise<void> {
  await tx.named(
    'instances_mark',
    `update instances set status = $2, vm_state = $3, updated_at = $4 where id = any($1::uuid[])`,
    [ids, status, status.toLowerCase(), timestamp],
  );
}

export async function deleteInstances(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.named('instances_delete', 'delete from instances where id = any($1::uuid[])', [ids]);
}

/** Those of these that exist. */
export async function readInstancesByIds(db: Queryable, ids: readonly string[]): Promise<InstanceRow[]> {
  if (ids.length === 0) return [];
  return db.named<InstanceRow>('instances_by_ids', 'select * from instances where id = any($1::uuid[])', [
    [...new Set(ids)],
  ]);
}

/** A page of these nodes of a cluster, oldest first. */
export async function readClusterInstances(
  db: Queryable,
  clusterId: string,
  page: { readonly ids: readonly string[]; readonly limit: number; readonly offset: number },
): Promise<InstanceRow[]> {
  return db.named<InstanceRow>(
    'instances_of_cluster',
    `select * from instances where cluster_id = $1 and id = any($2::uuid[])
      order by created_at, id limit $3 offset $4`,
    [clusterId, page.ids, page.limit, page.offset],
  );
}

type OrderField = 'created' | 'name' | 'status';
const ORDER_COLUMNS = { created: 'created_at', name: 'name', status: 'status' } as const;

export async function listInstances(
  db: Db,
  scope: { readonly projectId: number; readonly regionId: number },
  query: InstanceListQuery,
  tags: Readonly<Record<string, string>>,
): Promise<{ count: number; results: InstanceRow[] }> {
  const { field, direction } = parseOrder<OrderField>(query.order_by ?? 'created.desc');
  const base = matching(db, scope, query, tags);
  const [results, total] = await Promise.all([
    base
      .selectAll()
      .orderBy(ORDER_COLUMNS[field], direction)
      .orderBy('id', direction)
      .limit(query.limit ?? 1000)
      .offset(query.offset ?? 0)
      .execute(),
    base.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
  ]);
  return { count: total.count, results: results as unknown as InstanceRow[] };
}

const escaped = (text: string) => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);
const flavorId = sql<string>`flavor->>'id'`;

function matching(
  db: Db,
  scope: { readonly projectId: number; readonly regionId: number },
  query: InstanceListQuery,
  tags: Readonly<Record<string, string>>,
) {
  let q = db.kysely
    .selectFrom('instances')
    .where('project_id', '=', scope.projectId)
    .where('region_id', '=', scope.regionId);
  const { name, ip, status, uuid, flavor_id, flavor_prefix, exclude_flavor_prefix, exclude_secgroup } = query;
  if (name !== undefined) q = q.where('name', 'ilike', `%${escaped(name)}%`);
  if (uuid !== undefined) q = q.where(sql<string>`id::text`, 'like', `%${escaped(uuid.toLowerCase())}%`);
  if (status !== undefined) q = q.where('status', '=', status);
  if (ip !== undefined) q = q.where((eb) => eb.or([eb('private_ip', '=', ip), eb('public_ip', '=', ip)]));
  if (flavor_id !== undefined) q = q.where(flavorId, '=', flavor_id);
  if (flavor_prefix !== undefined) q = q.where(flavorId, 'like', `${escaped(flavor_prefix)}%`);
  if (exclude_flavor_prefix !== undefined)
    q = q.where(flavorId, 'not like', `${escaped(exclude_flavor_prefix)}%`);
  if (exclude_secgroup !== undefined)
    q = q.where(sql<boolean>`not (${exclude_secgroup} = any(security_groups))`);
  if (query.include_k8s === false) q = q.where('cluster_id', 'is', null);
  if (query.only_with_fixed_external_ip) q = q.where('public_ip', 'is not', null);
  // A floating address is for machines without an external one.
  if (query.available_floating) q = q.where('public_ip', 'is', null);
  if (query['changes-since'] !== undefined)
    q = q.where(sql<boolean>`updated_at >= ${query['changes-since']}::timestamptz`);
  if (query['changes-before'] !== undefined)
    q = q.where(sql<boolean>`updated_at <= ${query['changes-before']}::timestamptz`);
  for (const [key, value] of Object.entries(tags))
    q = q.where(sql<boolean>`tags->(${key}::text)->>'value' = ${value}`);
  for (const value of query.tag_value ?? [])
    q = q.where(sql<boolean>`exists (select 1 from jsonb_each(tags) t where t.value->>'value' = ${value})`);
  // No instance is isolated or protected: the regions offer neither.
  const unknown =
    query.only_isolated || query.profile_name !== undefined || query.protection_status !== undefined;
  if (unknown || query.type_ddos_profile !== undefined) q = q.where(sql<boolean>`false`);
  return q;
}
