import { Conflict, NotOffered } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { guardProject } from '../projects/index.ts';
import type { CapabilitiesOf } from '../regions/index.ts';
import type { ServiceStatus } from './schema.ts';
import { countClusters, readStatus, saveStatus } from './store.ts';

export async function getStatus(ctx: RegionContext): Promise<ServiceStatus> {
  return { is_initialized: await readStatus(ctx.db, ctx.scope) };
}

/** @throws Forbidden when the region does not offer the service, Conflict when it is deactivated although the
 *  project has clusters there */
export async function putStatus(
  ctx: RegionContext,
  { is_initialized }: ServiceStatus,
  capabilitiesOf: CapabilitiesOf,
): Promise<ServiceStatus> {
  if (is_initialized && !(await capabilitiesOf(ctx.region.id)).dbaas) {
    throw new NotOffered(`Region ${ctx.region.name} has no managed PostgreSQL`);
  }
  await ctx.db.transaction(async (tx) => {
    await guardProject(tx, ctx.project.id);
    // The row is written first: whoever creates a cluster reads it under a lock, and so waits for this.
    await saveStatus(tx, {
      ...ctx.scope,
      isInitialized: is_initialized,
      timestamp: ctx.clock.timestamp(),
    });
    const clusters = is_initialized ? 0 : await countClusters(tx, ctx.scope);
    if (clusters > 0) {
      throw new Conflict(
        `The project has ${clusters} PostgreSQL clusters in ${ctx.region.name}; delete them first`,
      );
    }
    await recordAudit(tx, ctx, {
      action: is_initialized ? 'activate_managed_postgresql' : 'deactivate_managed_postgresql',
      subject: ctx.project.id,
      ...ctx.scope,
    });
  });
  return { is_initialized };
}
