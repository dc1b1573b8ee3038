import { readTime } from '../../kernel/codecs.ts';
import { Conflict, Forbidden, Invalid } from '../../kernel/errors.ts';
import { TIME_RULE } from '../../kernel/rules.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { TaskRef } from '../../platform/tasks/start.ts';
import { type PostgresqlService, providerFor } from './access.ts';
import { clusters, setBackups } from './cluster-store.ts';
import { insertNew } from './clusters.ts';
import type { ClusterRow } from './model.ts';
import type { BackupSchedule } from './port.ts';

/** Backups of clusters, which operators order. */

const viewBackups = ({ backups: schedule, observed }: ClusterRow) => {
  const backups = schedule ? (observed?.backups ?? []) : [];
  return { schedule, backups: [...backups], restorable_from: backups[0]?.taken_at ?? null };
};

/** @throws NotFound */
export async function listBackups(ctx: RegionContext, name: string) {
  return viewBackups(await clusters.read(ctx.db, name, ctx.scope));
}

/** Begins, changes or ends them.
 *  @throws NotFound, Forbidden where there are none */
export async function scheduleBackups(
  service: PostgresqlService,
  ctx: RegionContext,
  name: string,
  schedule: BackupSchedule | null,
) {
  await requireBackups(service, ctx);
  return ctx.db.transaction(async (tx) => {
    const row = await clusters.lock(tx, name, ctx.scope);
    await setBackups(tx, row.id, schedule);
    await recordAudit(tx, ctx, {
      action: schedule ? 'schedule_dbaas_postgres_backups' : 'end_dbaas_postgres_backups',
      subject: row.id,
      ...ctx.scope,
    });
    return viewBackups({ ...row, backups: schedule });
  });
}

interface Restore {
  readonly cluster_name: string;
  readonly until?: string | null;
}

/** A new cluster with the data, users, databases and settings of another one, each user with a new password.
 *  @throws NotFound, Forbidden, Invalid for a moment of which there is no backup, Conflict, QuotaExceeded */
export async function restoreCluster(
  service: PostgresqlService,
  ctx: RegionContext,
  name: string,
  { cluster_name: newName, until = null }: Restore,
): Promise<TaskRef> {
  await requireBackups(service, ctx);
  const row = await clusters.read(ctx.db, name, ctx.scope);
  const [oldest] = row.observed?.backups ?? [];
  if (!row.backups || !oldest) throw new Conflict(`PostgreSQL cluster ${name} has no backup yet`);
  if (row.status !== 'READY') throw new Conflict(`PostgreSQL cluster ${name} is ${row.status}`);
  const moment = until === null ? null : readTime(until);
  if (moment === undefined) throw new Invalid({ until: [TIME_RULE] });
  if (moment && (moment < new Date(oldest.taken_at) || moment > ctx.clock.now()))
    throw new Invalid({ until: [`must be between ${oldest.taken_at} and now`] });
  const restoredFrom = { cluster_id: row.id, until: moment?.toISOString() ?? null };
  return insertNew(service, ctx, { name: newName, spec: row.spec, restoredFrom });
}

async function requireBackups(service: PostgresqlService, ctx: RegionContext): Promise<void> {
  const { noBackups } = await providerFor(service, ctx).offer();
  if (noBackups !== null) throw new Forbidden(`Clusters here have no backups: ${noBackups}`);
}
