import type { Static } from '@sinclair/typebox';
import { zuluTime } from '../../kernel/codecs.ts';
import { Conflict, Locked } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { type Paging, pageOf, viewPage } from '../../platform/database/list-page.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { flavorsOffered, viewFlavor, viewPricedFlavor } from '../flavors/index.ts';
import { readClusterNodes, viewInstance } from '../instances/index.ts';
import { exceededQuotas } from '../quotas/index.ts';
import { getPool, type KubernetesService, providerFor } from './access.ts';
import { clusterAmounts, DEFAULT_VOLUME_GIB, flavorOf, poolAmounts } from './amounts.ts';
import { issueClient } from './certificates.ts';
import * as store from './cluster-store.ts';
import { runningVersions } from './clusters.ts';
import { openAuthority, openClient, storeClient } from './keys.ts';
import { base64, kubeconfig } from './kubeconfig.ts';
import type { ClusterRow } from './model.ts';
import { readNodes, readPools } from './pool-store.ts';
import { roomForNodes } from './room.ts';
import type { CheckCluster, CheckPool, FlavorListQuery } from './schema-input.ts';
import { completeLogging } from './schema-parts.ts';
import { upgradeVersions, versionsOffered } from './versions.ts';
import { viewCluster, viewPool } from './views.ts';

export async function listClusters(ctx: RegionContext, query: Paging) {
  const { count, rows } = await store.listClusters(ctx.db, ctx.scope, query);
  return { count, results: await viewClusters(ctx, rows) };
}

async function viewClusters(ctx: RegionContext, rows: readonly ClusterRow[]) {
  const ids = rows.map(({ id }) => id);
  const [pools, nodes] = await Promise.all([readPools(ctx.db, ids), readNodes(ctx.db, ids)]);
  return rows.map((row) => viewCluster(row, pools, nodes));
}

/** @throws NotFound */
export async function readCluster(ctx: RegionContext, name: string) {
  const [view] = await viewClusters(ctx, [await store.clusters.read(ctx.db, name, ctx.scope)]);
  return view;
}

export async function listPools(ctx: RegionContext, name: string, query: Paging) {
  const { id } = await store.clusters.read(ctx.db, name, ctx.scope);
  const [pools, nodes] = await Promise.all([readPools(ctx.db, [id]), readNodes(ctx.db, [id])]);
  return pageOf(pools, query, (pool) => viewPool(pool, nodes));
}

export async function readPool(ctx: RegionContext, name: string, poolName: string) {
  const cluster = await store.clusters.read(ctx.db, name, ctx.scope);
  const pool = await getPool(ctx.db, cluster, poolName);
  return viewPool(pool, await readNodes(ctx.db, [cluster.id]));
}

/** Nodes of a cluster, or of one of its pools, as instances. */
export async function listNodes(
  ctx: RegionContext,
  names: { readonly cluster: string; readonly pool?: string },
  query: Paging,
) {
  const cluster = await store.clusters.read(ctx.db, names.cluster, ctx.scope);
  const pool = names.pool === undefined ? undefined : await getPool(ctx.db, cluster, names.pool);
  const ids = (await readNodes(ctx.db, [cluster.id]))
    .filter(({ state, pool_id }) => state !== 'REMOVING' && (!pool || pool_id === pool.id))
    .map(({ id }) => id);
  const page = { ids, limit: query.limit, offset: query.offset };
  return viewPage(await readClusterNodes(ctx.db, cluster.id, page), (row) =>
    viewInstance(row, ctx.region.name),
  );
}

export function listCreateVersions(service: KubernetesService, ctx: RegionContext, query: Paging) {
  return pageOf(versionsOffered(providerFor(service, ctx)), query, (version) => ({ version }));
}

export async function listUpgradeVersions(
  service: KubernetesService,
  ctx: RegionContext,
  name: string,
  query: Paging,
) {
  const cluster = await store.clusters.read(ctx.db, name, ctx.scope);
  const table = versionsOffered(service.providerOf(cluster.region_id));
  const permitted = upgradeVersions(await runningVersions(ctx.db, cluster), table);
  return pageOf(permitted, query, (version) => ({ version }));
}

const NO_PRICE = { currency_code: null, price_per_hour: null, price_per_month: null, price_status: null };

/** Prices are hidden where the operator has no price list. What is there is not limited by hardware, only by quotas: the capacity is the number of nodes that they leave room for. */
export async function listFlavors(
  service: KubernetesService,
  ctx: RegionContext,
  query: Static<typeof FlavorListQuery>,
) {
  providerFor(service, ctx);
  const room = query.include_capacity ? await roomForNodes(ctx) : undefined;
  const offered = flavorsOffered().filter(
    ({ osType, gpu }) => osType === 'linux' && (!query.exclude_gpu || gpu === null),
  );
  return pageOf(offered, query, (flavor) => ({
    resource_class: flavor.resourceClass,
    capacity: room?.get(flavor.id) ?? null,
    reserved_capacity: null,
    ...(query.include_prices
      ? viewPricedFlavor(service.prices)(flavor)
      : { ...NO_PRICE, ...viewFlavor(flavor) }),
  }));
}

function refuseUnfinished(cluster: ClusterRow): void {
  if (cluster.control_plane_version !== null) return;
  const what = `Kubernetes cluster ${cluster.name} is still being created and`;
  throw cluster.task_id === null ? new Conflict(what) : new Locked(what, cluster.task_id);
}

/** The certificate and the private key of the cluster's authority; every read is audited.
 *  @throws NotFound, Conflict while it is being created */
export async function readCertificates(service: KubernetesService, ctx: RegionContext, name: string) {
  const cluster = await store.clusters.read(ctx.db, name, ctx.scope);
  refuseUnfinished(cluster);
  const ca = openAuthority(service.cipher, cluster);
  await ctx.db.transaction((tx) => audit(tx, ctx, 'read_k8s_certificates', cluster.id));
  return { certificate: ca.certificate, key: ca.privateKey };
}

type Tx = Parameters<Parameters<RegionContext['db']['transaction']>[0]>[0];

const audit = (tx: Tx, ctx: RegionContext, action: string, subject: string) =>
  recordAudit(tx, ctx, { action, subject, ...ctx.scope });

/** The kubeconfig of the cluster's administrator; every read is audited. A client certificate that has
 *  expired is replaced by a new one.
 *  @throws NotFound, Conflict while it is being created */
export async function readKubeconfig(service: KubernetesService, ctx: RegionContext, name: string) {
  const cluster = await store.clusters.read(ctx.db, name, ctx.scope);
  refuseUnfinished(cluster);
  const client = await ctx.db.transaction(async (tx) => {
    await audit(tx, ctx, 'read_k8s_config', cluster.id);
    const now = ctx.clock.now();
    const locked = (await store.lockCluster(tx, cluster.id)) ?? cluster;
    if (locked.kubeconfig_expires_at > now) return openClient(service.cipher, locked);
    const serial = ctx.ids.uuid().replaceAll('-', '');
    const issued = await issueClient(openAuthority(service.cipher, locked), serial, now);
    await storeClient(tx, service.cipher, locked, issued);
    return issued;
  });
  const host = `https://${cluster.api_address}:6443`;
  return {
    config: kubeconfig({
      simulated: service.providerOf(cluster.region_id)?.acceptsSignals === true,
      clusterName: cluster.name,
      server: host,
      caCertificate: cluster.ca_certificate,
      clientCertificate: client.certificate,
      clientKey: client.privateKey,
    }),
    cluster_ca_certificate: base64(cluster.ca_certificate),
    client_certificate: base64(client.certificate),
    client_key: base64(client.privateKey),
    created_at: zuluTime(client.createdAt),
    expires_at: zuluTime(client.expiresAt),
    host,
  };
}

function sizeOf(pool: CheckPool, field: string) {
  flavorOf(pool.flavor_id, field);
  return {
    flavor_id: pool.flavor_id,
    node_count: Math.max(pool.min_node_count ?? 1, pool.node_count ?? 1),
    boot_volume_size: pool.boot_volume_size ?? DEFAULT_VOLUME_GIB,
    is_public_ipv4: pool.is_public_ipv4,
    servergroup_policy: pool.servergroup_policy,
  };
}

/** @throws Invalid for an unknown flavor */
export async function checkClusterLimits(ctx: RegionContext, input: CheckCluster) {
  const pools = (input.pools ?? []).map((pool, i) => sizeOf(pool, `pools.${i}.flavor_id`));
  return exceededQuotas(ctx.db, ctx.quota, clusterAmounts(pools, completeLogging(input.logging)));
}

/** @throws Invalid for an unknown flavor */
export async function checkPoolLimits(ctx: RegionContext, input: CheckPool) {
  return exceededQuotas(ctx.db, ctx.quota, poolAmounts(sizeOf(input, 'flavor_id')));
}
