import { Conflict } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { ProjectContext, RegionContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { type Providers, requireProvider } from '../../platform/tasks/providers.ts';
import type { TaskRef } from '../../platform/tasks/start.ts';
import { clusters } from './cluster-store.ts';
import type { ClusterRow } from './model.ts';
import type { PostgresqlProvider } from './port.ts';

export interface PostgresqlService extends Providers<PostgresqlProvider> {
  readonly cipher: Cipher;
  /** Waits for the task of a call that answers without it. */
  readonly tasks: { settled(ctx: ProjectContext, task: TaskRef, failure: string): Promise<void> };
}

/** @throws NotOffered */
export const providerFor = (service: PostgresqlService, { region }: RegionContext): PostgresqlProvider =>
  requireProvider(service, region, 'managed PostgreSQL');

/** The cluster, locked for a change: one that is not whole can only be deleted.
 *  @throws NotFound, Locked, Conflict */
export async function lockReadyCluster(tx: Tx, ctx: RegionContext, name: string): Promise<ClusterRow> {
  const row = await clusters.lockFree(tx, name, ctx.scope);
  if (row.status !== 'READY') throw new Conflict(`PostgreSQL cluster ${name} is ${row.status}; delete it`);
  return row;
}
