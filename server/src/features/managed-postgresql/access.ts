import { Conflict, Forbidden, Locked, NotFound } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { ProjectContext, RegionContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { TaskRef } from '../../platform/tasks/start.ts';
import { findCluster, lockCluster, type Scope } from './cluster-store.ts';
import type { ClusterRow } from './model.ts';
import type { PostgresqlProvider } from './port.ts';

export interface PostgresqlService {
  readonly cipher: Cipher;
  /** Waits for the task of a call that answers without it. */
  readonly tasks: { settled(ctx: ProjectContext, task: TaskRef, failure: string): Promise<void> };
  providerOf(regionId: number): PostgresqlProvider | undefined;
}

export const scopeOf = (ctx: RegionContext): Scope => ({
  projectId: ctx.project.id,
  regionId: ctx.region.id,
});

export const quotaScopeOf = (ctx: RegionContext) => ({
  clientId: ctx.project.clientId,
  regionId: ctx.region.id,
});

/** @throws Forbidden in a region without managed PostgreSQL */
export function providerFor(service: PostgresqlService, ctx: RegionContext): PostgresqlProvider {
  const provider = service.providerOf(ctx.region.id);
  if (!provider) throw new Forbidden(`Region ${ctx.region.name} does not offer managed PostgreSQL`);
  return provider;
}

const missing = (name: string) => new NotFound(`PostgreSQL cluster ${name} was not found`);

/** @throws NotFound */
export async function getCluster(db: Queryable, ctx: RegionContext, name: string): Promise<ClusterRow> {
  const row = await findCluster(db, scopeOf(ctx), name);
  if (!row) throw missing(name);
  return row;
}

/** The cluster, locked, whatever it is doing.
 *  @throws NotFound */
export async function lockAnyCluster(tx: Tx, ctx: RegionContext, name: string): Promise<ClusterRow> {
  const row = await lockCluster(tx, scopeOf(ctx), name);
  if (!row) throw missing(name);
  return row;
}

/** The cluster, locked, with no task that works on it.
 *  @throws NotFound, Locked */
export async function lockFreeCluster(tx: Tx, ctx: RegionContext, name: string): Promise<ClusterRow> {
  const row = await lockAnyCluster(tx, ctx, name);
  if (row.task_id !== null) throw new Locked(`PostgreSQL cluster ${name}`, row.task_id);
  return row;
}

/** The same, for a change: one that is not whole can only be deleted.
 *  @throws NotFound, Locked, Conflict */
export async function lockReadyCluster(tx: Tx, ctx: RegionContext, name: string): Promise<ClusterRow> {
  const row = await lockFreeCluster(tx, ctx, name);
  if (row.status !== 'READY') throw new Conflict(`PostgreSQL cluster ${name} is ${row.status}; delete it`);
  return row;
}
