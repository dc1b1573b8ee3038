import { isDeepStrictEqual } from 'node:util';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { isUuid } from '../../kernel/ids.ts';
import { constraintOf, type Queryable, type Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../platform/tasks/start.ts';
import { readClusterNodes } from '../instances/index.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import { checkRegion } from '../regions/index.ts';
import { findSshKey, findSshKeyIds, viewerOf } from '../ssh-keys/index.ts';
import { type KubernetesService, onCluster, providerFor } from './access.ts';
import { clusterAmounts, loggingAmounts } from './amounts.ts';
import { issueClient, newAuthority } from './certificates.ts';
import * as store from './cluster-store.ts';
import { checkExtras, checkPoolExtras } from './extras.ts';
import { sealKeys } from './keys.ts';
import { type ClusterRow, type ClusterSettings, changedSettings, settingsOf } from './model.ts';
import { newPool } from './new-pool.ts';
import { findFixedNetwork } from './node-network.ts';
import { insertPool, readNodes } from './pool-store.ts';
import type { KubernetesProvider } from './port.ts';
import { checkCluster, checkCni, checkSettings } from './rules.ts';
import type { CreateCluster, UpdateCluster } from './schema-input.ts';
import { upgradeVersions, versionsOffered } from './versions.ts';

/** Commands on clusters: one transaction each, the work is the task's. */

/** @throws Invalid naming every faulty field, Conflict for a name in use, Forbidden, QuotaExceeded */
export async function createCluster(
  service: KubernetesService,
  ctx: RegionContext,
  input: CreateCluster,
): Promise<TaskRef> {
  const provider = providerFor(service, ctx);
  const settings = settingsOf(input);
  const sshPublicKey = await checkCreation(service, ctx, input, settings);
  const id = ctx.ids.uuid();
  const taskId = ctx.ids.uuid();
  const row = await newCluster(service, ctx, { id, taskId, input, settings, sshPublicKey });
  const api_address = provider.apiAddress(id);
  const pools = input.pools.map((pool) => newPool(ctx, id, pool));
  try {
    return await ctx.db.transaction(async (tx) => {
      await guardProject(tx, ctx.project.id);
      await store.insertCluster(tx, { ...row, ...(await networkOf(tx, ctx, input)), api_address });
      for (const pool of pools) await insertPool(tx, pool);
      const task = await start(tx, ctx, 'create_k8s_cluster_v2', { ...row, taskId });
      await reserve(tx, ctx.quota, clusterAmounts(pools, settings.logging));
      return task;
    });
  } catch (error) {
    if (constraintOf(error) === 'k8s_clusters_name')
      throw new Conflict(`A Kubernetes cluster with the name ${input.name} exists already`);
    throw error;
  }
}

/** The network that was asked for, or one that the cluster has to itself. */
function networkOf(tx: Tx, ctx: RegionContext, { fixed_network, fixed_subnet }: CreateCluster) {
  if (!fixed_network) return { network_id: ctx.ids.uuid(), subnet_id: ctx.ids.uuid(), fixed_subnet_id: null };
  const subnetId = fixed_subnet ? fixed_subnet : undefined;
  return findFixedNetwork(tx, { ...ctx.scope, networkId: fixed_network, subnetId });
}

/** @returns the public key that nodes are given */
async function checkCreation(
  service: KubernetesService,
  ctx: RegionContext,
  input: CreateCluster,
  settings: ClusterSettings,
): Promise<string> {
  const faults = new Faults();
  checkCluster(faults, input, settings);
  checkLogRegion(service, faults, settings);
  const provider = providerFor(service, ctx);
  checkVersion(provider, faults, input.version);
  for (const [i, pool] of input.pools.entries()) checkPoolExtras(faults, `pools.${i}.`, provider, pool);
  checkExtras(faults, provider, settings);
  const key = await findSshKey(ctx.db, input.keypair, viewerOf(ctx));
  if (!key) faults.add('keypair', `SSH key ${input.keypair} was not found in this project`);
  await checkSlurm(ctx.db, faults, ctx, settings);
  return faults.require(key).public_key;
}

function checkVersion(provider: KubernetesProvider, faults: Faults, version: string): void {
  const there = versionsOffered(provider);
  if (!there.includes(version) && versionsOffered().includes(version))
    faults.add('version', `must be one of the versions that this region has: ${there.join(', ')}`);
}

function checkLogRegion(
  { regionIds }: KubernetesService,
  faults: Faults,
  { logging }: ClusterSettings,
): void {
  const id = logging?.destination_region_id ?? null;
  if (id !== null) checkRegion(id, regionIds(), 'logging.destination_region_id', faults);
}

async function checkSlurm(
  db: Queryable,
  faults: Faults,
  ctx: RegionContext,
  { slurm }: ClusterSettings,
): Promise<void> {
  const requested = slurm.ssh_key_ids ?? [];
  if (requested.length === 0) return;
  const known = await findSshKeyIds(db, requested, viewerOf(ctx));
  requested.forEach((id, i) => {
    if (!known.includes(id.toLowerCase()))
      faults.add(`add_ons.slurm.ssh_key_ids.${i}`, `SSH key ${id} was not found in this project`);
  });
}

interface Creation {
  readonly id: string;
  readonly taskId: string;
  readonly input: CreateCluster;
  readonly settings: ClusterSettings;
  readonly sshPublicKey: string;
}

async function newCluster(service: KubernetesService, ctx: RegionContext, creation: Creation) {
  const { id, taskId, input, settings, sshPublicKey } = creation;
  const now = ctx.clock.now();
  const serial = () => ctx.ids.uuid().replaceAll('-', '');
  const ca = await newAuthority(input.name, serial(), now);
  const client = await issueClient(ca, serial(), now);
  const { keyId, sealedCaKey, sealedClientKey } = sealKeys(service.cipher, id, ca, client);
  return {
    id,
    client_id: ctx.project.clientId,
    project_id: ctx.project.id,
    region_id: ctx.region.id,
    name: input.name,
    version: input.version,
    keypair: input.keypair,
    ssh_public_key: sshPublicKey,
    settings,
    ca_certificate: ca.certificate,
    client_certificate: client.certificate,
    key_id: keyId,
    sealed_ca_key: sealedCaKey,
    sealed_client_key: sealedClientKey,
    kubeconfig_created_at: client.createdAt,
    kubeconfig_expires_at: client.expiresAt,
    creator_task_id: taskId,
    timestamp: ctx.clock.timestamp(),
  };
}

interface Work {
  readonly id: string;
  readonly name: string;
  readonly taskId: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

function start(tx: Tx, ctx: RegionContext, type: string, work: Work): Promise<TaskRef> {
  const { taskId: id, input = {} } = work;
  return startFor(tx, ctx, type, work, { id, input });
}

/** @throws NotFound, Conflict, Invalid; when nothing would change, the task has ended already */
export async function updateCluster(
  service: KubernetesService,
  ctx: RegionContext,
  name: string,
  input: UpdateCluster,
): Promise<TaskRef> {
  return onCluster(service, ctx, name, async (tx, cluster) => {
    const settings = changedSettings(cluster.settings, input);
    await checkChange(tx, service, ctx, { cluster, input, next: settings });
    const type = 'update_k8s_cluster_v2';
    if (isDeepStrictEqual(settings, cluster.settings))
      return startNothing(tx, ctx, taskFor(ctx, type, cluster));
    const taskId = ctx.ids.uuid();
    await store.holdCluster(tx, cluster, taskId, 'Provisioned');
    const task = await start(tx, ctx, type, { ...cluster, taskId, input });
    if (settings.logging?.enabled && !cluster.settings.logging?.enabled)
      await reserve(tx, ctx.quota, loggingAmounts(settings.logging));
    return task;
  });
}

interface SettingsChange {
  readonly cluster: ClusterRow;
  readonly input: UpdateCluster;
  readonly next: ClusterSettings;
}

async function checkChange(
  tx: Tx,
  service: KubernetesService,
  ctx: RegionContext,
  { cluster: { settings: now }, input, next }: SettingsChange,
): Promise<void> {
  const faults = new Faults();
  checkCni(faults, input.cni && { ...input.cni, provider: next.cni.provider ?? 'calico' });
  if (next.cni.provider !== now.cni.provider)
    faults.add('cni.provider', `is ${now.cni.provider} and cannot be changed`);
  checkSettings(faults, next);
  checkExtras(faults, providerFor(service, ctx), next, now);
  if (input.logging) checkLogRegion(service, faults, next);
  if (input.add_ons?.slurm) await checkSlurm(tx, faults, ctx, next);
  faults.refuse();
}

/** @throws NotFound, Conflict, Invalid for volumes that are not the cluster's */
export async function deleteCluster(
  service: KubernetesService,
  ctx: RegionContext,
  name: string,
  volumes: string | undefined,
): Promise<TaskRef> {
  return onCluster(service, ctx, name, async (tx, cluster) => {
    await checkVolumes(tx, cluster, volumes);
    const taskId = ctx.ids.uuid();
    await store.holdCluster(tx, cluster, taskId, 'Deleting');
    return start(tx, ctx, 'delete_k8s_cluster_v2', { ...cluster, taskId });
  });
}

/** Ids between commas. The volumes of nodes go with them anyway; others are refused. */
async function checkVolumes(tx: Tx, cluster: ClusterRow, volumes: string | undefined): Promise<void> {
  const requested = (volumes ?? '').split(',').filter((id) => id.trim() !== '');
  if (requested.length === 0) return;
  const ids = (await readNodes(tx, [cluster.id])).map(({ id }) => id);
  const { rows: nodes } = await readClusterNodes(tx, cluster.id, { ids, limit: ids.length, offset: 0 });
  const own = new Set(nodes.flatMap((node) => node.volumes.map(({ id }) => id)));
  const unknown = requested.map((id) => id.trim().toLowerCase()).filter((id) => !isUuid(id) || !own.has(id));
  if (unknown.length > 0)
    throw new Invalid({ volumes: unknown.map((id) => `${id} is not a volume of this cluster`) }, 'query');
}

/** The versions of everything that runs. */
export async function runningVersions(db: Tx | RegionContext['db'], cluster: ClusterRow): Promise<string[]> {
  const nodes = (await readNodes(db, [cluster.id])).filter(({ state }) => state !== 'REMOVING');
  return [cluster.control_plane_version ?? cluster.version, cluster.version, ...nodes.map((n) => n.version)];
}

/** @throws NotFound, Conflict, Invalid listing the permitted versions */
export async function upgradeCluster(
  service: KubernetesService,
  ctx: RegionContext,
  name: string,
  version: string,
): Promise<TaskRef> {
  return onCluster(service, ctx, name, async (tx, cluster) => {
    const table = versionsOffered(providerFor(service, ctx));
    const permitted = upgradeVersions(await runningVersions(tx, cluster), table);
    if (!permitted.includes(version)) {
      const list = permitted.length > 0 ? permitted.join(', ') : 'none at present';
      throw new Invalid({ version: [`must be one of the permitted versions: ${list}`] });
    }
    const taskId = ctx.ids.uuid();
    await store.holdCluster(tx, cluster, taskId, 'Provisioning');
    await store.countUpgradeAttempt(tx, cluster.id);
    return start(tx, ctx, 'upgrade_k8s_cluster', { ...cluster, taskId, input: { version } });
  });
}
