import { isDeepStrictEqual } from 'node:util';
import { Conflict, Forbidden, Invalid, TaskFailed } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { requireTransition } from '../../kernel/transitions.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import { requireFree } from '../../platform/database/held-table.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../platform/tasks/start.ts';
import { guardProject } from '../projects/index.ts';
import { exceededQuotas, reserve } from '../quotas/index.ts';
import * as access from './access.ts';
import * as store from './cluster-store.ts';
import { boundedFaults, parseConf } from './conf.ts';
import { newCredentials } from './credentials.ts';
import { flavorFaults } from './flavor-limits.ts';
import {
  additionsOf,
  CLUSTER_AMOUNTS,
  CLUSTER_TRANSITIONS,
  type ClusterSpec,
  changedSpec,
  specOf,
} from './model.ts';
import type { Offer, PostgresqlProvider, RestoreSource } from './port.ts';
import { checkChange, checkSpec, refusalOf } from './rules.ts';
import type { CreateCluster, UpdateCluster } from './schema.ts';
import { activateFirst, isActivated } from './store.ts';
import { insertUser } from './user-store.ts';

/** Commands on clusters: one transaction each, the work is the task's. */

type Service = access.PostgresqlService;

const INSTALL_MS = 10_000;
const CREATE = 'create_dbaas_postgres_cluster';
const UPDATE = 'update_dbaas_postgres_cluster';
const DELETE = 'delete_dbaas_postgres_cluster';

/** @throws Invalid naming every faulty field, Conflict for a name in use, Forbidden, QuotaExceeded */
export async function createCluster(
  service: Service,
  ctx: RegionContext,
  input: CreateCluster,
): Promise<TaskRef> {
  const provider = access.providerFor(service, ctx);
  const spec = specOf(input);
  await checkAll(provider, undefined, spec);
  return insertNew(service, ctx, { name: input.cluster_name, spec });
}

/** @throws Conflict for a name in use, Forbidden, QuotaExceeded */
export async function insertNew(
  service: Service,
  ctx: RegionContext,
  {
    name,
    spec,
    restoredFrom,
  }: { readonly name: string; readonly spec: ClusterSpec; readonly restoredFrom?: RestoreSource },
): Promise<TaskRef> {
  const id = ctx.ids.uuid();
  const taskId = ctx.ids.uuid();
  const credentials = await credentialsOf(service, id, spec.users);
  try {
    return await ctx.db.transaction(async (tx) => {
      await guardProject(tx, ctx.project.id);
      await requireActivated(tx, ctx);
      const row = { ...newRow(ctx, name, spec), id, task_id: taskId, restored_from: restoredFrom };
      await store.insertCluster(tx, row);
      for (const user of credentials) await insertUser(tx, user);
      const task = await startFor(tx, ctx, CREATE, { id, name }, { id: taskId });
      await reserve(tx, ctx.quota, CLUSTER_AMOUNTS);
      return task;
    });
  } catch (error) {
    if (constraintOf(error) === 'postgresql_clusters_name')
      throw new Conflict(`A PostgreSQL cluster with the name ${name} exists already`);
    throw error;
  }
}

const newRow = (ctx: RegionContext, name: string, spec: ClusterSpec) => ({
  client_id: ctx.project.clientId,
  project_id: ctx.project.id,
  region_id: ctx.region.id,
  name,
  spec,
  timestamp: ctx.clock.timestamp(),
});

const credentialsOf = ({ cipher }: Service, id: string, users: readonly { readonly name: string }[]) =>
  Promise.all(users.map(({ name }) => newCredentials(cipher, id, name)));

/** The first cluster of a project activates the service: existing tools cannot. Waits for a deactivation that is under
 *  way.
 *  @throws Forbidden for a project that has deactivated it */
async function requireActivated(tx: Tx, ctx: RegionContext): Promise<void> {
  const { project, region } = ctx;
  if (await activateFirst(tx, ctx.scope, ctx.clock.timestamp())) {
    await recordAudit(tx, ctx, { action: 'activate_managed_postgresql', subject: project.id, ...ctx.scope });
  }
  if (await isActivated(tx, ctx.scope)) return;
  throw new Forbidden(
    `Managed PostgreSQL is not activated for project ${project.id} in region ${region.name}; activate it with PUT /cloud/v1/dbaas/status/${project.id}/${region.id} and {"is_initialized": true}`,
  );
}

/** @throws Invalid naming every faulty field, Forbidden for what the region cannot do */
async function checkAll(
  provider: PostgresqlProvider,
  before: ClusterSpec | undefined,
  next: ClusterSpec,
): Promise<void> {
  const offer = await provider.offer();
  const faults = new Faults();
  checkSpec(faults, next, offer);
  if (before) checkChange(faults, before, next);
  for (const fault of await confFaultsOf(provider, offer, before, next))
    faults.add('pg_server_configuration.pg_conf', fault);
  faults.refuse();
  const refusal = refusalOf(offer, before, next);
  if (refusal !== undefined) throw new Forbidden(refusal);
}

/** What is against the configuration, or asks for more than the flavor has; what stays as it was is not looked at. */
async function confFaultsOf(
  provider: PostgresqlProvider,
  { versions }: Offer,
  before: ClusterSpec | undefined,
  next: ClusterSpec,
): Promise<readonly string[]> {
  const isSameConf = next.pg_conf === before?.pg_conf;
  const isSameServer = isSameConf && next.version === before?.version;
  if (!isSameServer && versions.includes(next.version)) {
    // Where that is not known yet, the task finds out.
    const found = (await confFaults(provider, next.version, next.pg_conf)) ?? [];
    if (found.length > 0) return found;
  }
  if (isSameConf && isDeepStrictEqual(next.flavor, before?.flavor)) return [];
  return flavorFaults(next.flavor, parseConf(next.pg_conf).settings);
}

async function confFaults(
  provider: PostgresqlProvider,
  version: string,
  conf: string,
): Promise<readonly string[] | undefined> {
  const { faults, settings } = parseConf(conf);
  if (faults.length > 0) return faults;
  try {
    return await provider.confFaults(version, { text: conf, settings });
  } catch (error) {
    if (error instanceof TaskFailed) throw new Conflict(error.message);
    throw error;
  }
}

/** @throws Invalid for a version that the region does not have, Conflict while its programs are being installed */
export async function checkConf(
  service: Service,
  ctx: RegionContext,
  { version, pg_conf: conf }: { readonly version: string; readonly pg_conf: string },
) {
  const provider = access.providerFor(service, ctx);
  const { versions } = await provider.offer();
  if (!versions.includes(version))
    throw new Invalid({ version: [`must be one of: ${versions.join(', ') || 'none at present'}`] });
  const errors = await confFaults(provider, version, conf);
  if (!errors)
    throw new Conflict(`PostgreSQL ${version} is being installed here; try again in a minute`, {
      retryAfterMs: INSTALL_MS,
    });
  return { is_valid: errors.length === 0, errors: boundedFaults(errors) };
}

/** The quotas that such a cluster would exceed.
 *  @throws Forbidden */
export async function checkLimits(service: Service, ctx: RegionContext): Promise<Record<string, number>> {
  access.providerFor(service, ctx);
  return exceededQuotas(ctx.db, ctx.quota, CLUSTER_AMOUNTS);
}

/** @throws NotFound, Conflict, Invalid, Forbidden; when nothing would change, the task has ended already */
export async function updateCluster(
  service: Service,
  ctx: RegionContext,
  name: string,
  input: UpdateCluster,
): Promise<TaskRef> {
  const provider = access.providerFor(service, ctx);
  // Checking a configuration takes a while: it is done before anything is locked, and counts if nothing changed since.
  const seen = await store.clusters.read(ctx.db, name, ctx.scope);
  const next = changedSpec(seen.spec, input);
  await checkAll(provider, seen.spec, next);
  const credentials = await credentialsOf(
    service,
    seen.id,
    additionsOf(seen.spec, next).users.map((user) => ({ name: user })),
  );
  return ctx.db.transaction(async (tx) => {
    const { id, spec } = await access.lockReadyCluster(tx, ctx, name);
    if (id !== seen.id || !isDeepStrictEqual(spec, seen.spec))
      throw new Conflict(`PostgreSQL cluster ${name} was changed meanwhile; try again`, { retryAfterMs: 0 });
    if (isDeepStrictEqual(spec, next)) return startNothing(tx, ctx, taskFor(ctx, UPDATE, { id, name }));
    const taskId = ctx.ids.uuid();
    await store.holdCluster(tx, id, { taskId, status: 'UPDATING', nextSpec: next });
    for (const user of credentials) await insertUser(tx, user);
    return startFor(tx, ctx, UPDATE, { id, name }, { id: taskId });
  });
}

/** A change or creation that is under way is given up for it: the deletion takes the cluster over from its task,
 *  which writes nothing any more.
 *  @throws NotFound, Locked while it is being deleted */
export async function deleteCluster(service: Service, ctx: RegionContext, name: string): Promise<TaskRef> {
  access.providerFor(service, ctx);
  return ctx.db.transaction(async (tx) => {
    const { id, status, task_id } = await store.clusters.lock(tx, name, ctx.scope);
    if (status === 'DELETING') requireFree('PostgreSQL cluster', { id: name, task_id });
    requireTransition(`PostgreSQL cluster ${name}`, CLUSTER_TRANSITIONS, status, 'DELETING');
    const taskId = ctx.ids.uuid();
    await store.holdCluster(tx, id, { taskId, status: 'DELETING' });
    return startFor(tx, ctx, DELETE, { id, name }, { id: taskId });
  });
}
