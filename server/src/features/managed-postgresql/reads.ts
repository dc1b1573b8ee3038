import { Conflict } from '../../kernel/errors.ts';
import { type Paging, viewPage } from '../../platform/database/list-page.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { type PostgresqlService, providerFor } from './access.ts';
import * as store from './cluster-store.ts';
import { confOf } from './flavors.ts';
import { readUsers } from './user-store.ts';
import { viewCluster, viewMetrics, viewServers, viewShort } from './views.ts';

interface ListQuery extends Paging {
  readonly name?: string;
}

export async function listClusters(ctx: RegionContext, { limit, offset, name = '' }: ListQuery) {
  return viewPage(await store.listClusters(ctx.db, { ...ctx.scope, limit, offset, name }), viewShort);
}

/** @throws NotFound */
export async function readCluster(ctx: RegionContext, name: string) {
  const row = await store.clusters.read(ctx.db, name, ctx.scope);
  return viewCluster(row, await readUsers(ctx.db, [row.id]));
}

/** @throws NotFound */
export async function readMetrics(ctx: RegionContext, name: string) {
  return viewMetrics(await store.clusters.read(ctx.db, name, ctx.scope));
}

/** Which server of a cluster does what.
 *  @throws NotFound */
export async function readServers(ctx: RegionContext, name: string) {
  return viewServers(await store.clusters.read(ctx.db, name, ctx.scope));
}

/** The authority by which clients know the servers of a cluster.
 *  @throws NotFound */
export async function readAuthority(ctx: RegionContext, name: string) {
  const { ca_certificate: certificate } = await store.clusters.read(ctx.db, name, ctx.scope);
  if (certificate === null)
    throw new Conflict(`PostgreSQL cluster ${name} has no place yet; wait for its task`);
  return { ca_certificate: certificate };
}

/** What clusters can be made of.
 *  @throws Forbidden */
export async function readConfiguration(service: PostgresqlService, ctx: RegionContext) {
  const { versions, storageClasses, flavors } = await providerFor(service, ctx).offer();
  return {
    versions,
    storage_classes: storageClasses.map((name) => ({ name })),
    flavors: flavors.map((flavor) => ({ ...flavor, pg_conf: confOf(flavor) })),
  };
}
