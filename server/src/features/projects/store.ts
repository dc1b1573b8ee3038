import { NotFound } from '../../kernel/errors.ts';
import { statesBefore, type Transitions } from '../../kernel/transitions.ts';
import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listPage, type Page } from '../../platform/database/list-page.ts';
import { inserted } from '../../platform/database/new-rows.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { empty, join, raw, sql } from '../../platform/database/sql.ts';
import { parseOrder } from '../../platform/http/schemas.ts';
import type { ProjectListQuery } from './schema.ts';

const PROJECT_COLUMNS = [
  'id',
  'client_id',
  'name',
  'description',
  'state',
  'is_default',
  'task_id',
  'created_at',
  'deleted_at',
] as const;
const COLUMNS = listOf(PROJECT_COLUMNS);

export const PROJECT_TRANSITIONS: Transitions<'ACTIVE' | 'DELETING' | 'DELETED'> = {
  ACTIVE: ['DELETING'],
  // Back when the deletion had to be given up.
  DELETING: ['DELETED', 'ACTIVE'],
  DELETED: [],
};

export type ProjectRow = RowOf<'projects', typeof PROJECT_COLUMNS>;

export async function readProject(
  db: Queryable,
  id: number,
  clientId: number | 'any',
): Promise<ProjectRow | undefined> {
  const owned = clientId === 'any' ? empty : sql`and client_id = ${clientId}`;
  return db.row<ProjectRow>(
    sql`select ${COLUMNS} from projects where id = ${id} and deleted_at is null ${owned}`,
  );
}

/** Those of these projects that are not deleted, and whose they are. */
export async function readProjectOwners(
  db: Queryable,
  ids: readonly number[],
): Promise<Pick<ProjectRow, 'id' | 'client_id'>[]> {
  return db.rows(
    sql`select id, client_id from projects where id = any(${ids}::int[]) and deleted_at is null`,
  );
}

/** The project's row, locked against everything but readers until the transaction ends. */
export async function lockProject(tx: Tx, id: number): Promise<ProjectRow> {
  const [row] = await tx.rows<ProjectRow>(
    sql`select ${COLUMNS} from projects where id = ${id} and deleted_at is null for update`,
  );
  if (!row) throw new NotFound(`Project ${id} was not found`);
  return row;
}

/** Makes sure that the project lives until the transaction ends; the first statement of every create.
 *  @throws NotFound when it is deleted or being deleted */
export async function guardProject(tx: Tx, id: number): Promise<void> {
  const rows = await tx.rows(sql`select 1 from projects where id = ${id} and state = 'ACTIVE' for key share`);
  if (rows.length === 0) throw new NotFound(`Project ${id} was not found`);
}

export function listProjects(db: Db, clientId: number, query: ProjectListQuery): Promise<Page<ProjectRow>> {
  const { name, include_deleted: all, order_by: order, limit, offset } = query;
  const { field, direction } = parseOrder<'created_at' | 'name'>(order);
  return listPage<ProjectRow>(db, {
    table: 'projects',
    alias: 'p',
    columns: COLUMNS,
    limit,
    offset,
    where: [
      sql`client_id = ${clientId}::int`,
      ...(all ? [] : [sql`deleted_at is null`]),
      ...(name === undefined ? [] : [sql`name = ${name}`]),
    ],
    order: `${field} ${direction}, id ${direction}`,
  });
}

export interface NewProject {
  readonly clientId: number;
  readonly name: string;
  readonly description: string | null;
  readonly isDefault: boolean;
  readonly timestamp: string;
}

export async function insertProject(tx: Tx, project: NewProject): Promise<ProjectRow> {
  const [row] =
    await tx.rows<ProjectRow>(sql`insert into projects (client_id, name, description, is_default, created_at) values (${project.clientId}, ${project.name}, ${project.description}, ${project.isDefault}, ${project.timestamp})
     returning ${COLUMNS}`);
  return inserted(row);
}

export async function updateProject(
  tx: Tx,
  id: number,
  change: { name: string; description: string | null },
): Promise<ProjectRow> {
  const [row] = await tx.rows<ProjectRow>(
    sql`update projects set name = ${change.name}, description = ${change.description} where id = ${id} returning ${COLUMNS}`,
  );
  if (!row) throw new NotFound(`Project ${id} was not found`);
  return row;
}

export async function markDeleting(tx: Tx, id: number, taskId: string): Promise<void> {
  await tx.run(sql`update projects set state = 'DELETING', task_id = ${taskId} where id = ${id}`);
}

export async function markDeleted(tx: Tx, id: number, timestamp: string): Promise<void> {
  await tx.run(
    sql`update projects set state = 'DELETED', task_id = null, deleted_at = ${timestamp} where id = ${id} and deleted_at is null`,
  );
}

export async function markActive(tx: Tx, id: number): Promise<void> {
  await tx.run(
    sql`update projects set state = 'ACTIVE', task_id = null where id = ${id} and state = any(${statesBefore(PROJECT_TRANSITIONS, 'ACTIVE')}::text[])`,
  );
}

/** What a project with any of it cannot be deleted for: tables, and what people call their rows. Parts of load balancers
 *  and ports go with what they are part of. */
export const RESOURCES = {
  floating_ips: 'floating IPs',
  images: 'images',
  inference_registry_credentials: 'inference registry credentials',
  inference_secrets: 'inference secrets',
  instances: 'instances',
  k8s_clusters: 'Kubernetes clusters',
  lifecycle_policies: 'lifecycle policies',
  load_balancers: 'load balancers',
  networks: 'networks',
  postgresql_clusters: 'PostgreSQL clusters',
  reserved_fixed_ips: 'reserved fixed IPs',
  routers: 'routers',
  secrets: 'secrets',
  security_groups: 'security groups',
  server_groups: 'server groups',
  ssh_keys: 'SSH keys',
  subnets: 'subnets',
  volume_snapshots: 'snapshots',
  volumes: 'volumes',
} as const;

/** How many resources of which kind live in the project. */
export async function countResources(tx: Tx, id: number): Promise<{ resource: string; count: number }[]> {
  const counts = Object.entries(RESOURCES).map(
    // Default groups are always there.
    ([table, name]) => sql`select ${raw(`'${name}'`)} as resource, count(*) as count from ${raw(table)}
      where project_id = ${id} ${raw(table === 'security_groups' ? 'and not is_default' : '')}`,
  );
  return tx.rows<{ resource: string; count: number }>(
    sql`select resource, count from (${join(counts, ' union all ')}) r where count > 0 order by resource`,
  );
}
