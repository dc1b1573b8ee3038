import { Conflict, Locked, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { lockReadyCluster, type PostgresqlService, providerFor } from './access.ts';
import { clusters, holdCluster } from './cluster-store.ts';
import { openPassword } from './credentials.ts';
import type { ClusterRow } from './model.ts';
import { newPassword, verifierOf } from './scram.ts';
import { forgetPassword, readUsers, setNextVerifier, type UserRow } from './user-store.ts';

/** Names a user of a cluster. */
export interface UserName {
  readonly cluster: string;
  readonly user: string;
}

async function findUser(tx: Tx, { id, name, spec }: ClusterRow, user: string): Promise<UserRow> {
  const rows = await readUsers(tx, [id]);
  const row = rows.find((one) => one.name === user);
  if (!row || !spec.users.some((one) => one.name === user))
    throw new NotFound(`User ${user} of PostgreSQL cluster ${name} was not found`);
  return row;
}

/** Shows a password, once; afterwards nobody can, this service included.
 *  @throws NotFound, Conflict when it was shown, Locked while a task changes the cluster */
export async function showCredentials(
  service: PostgresqlService,
  ctx: RegionContext,
  { cluster, user }: UserName,
) {
  return ctx.db.transaction(async (tx) => {
    const row = await clusters.lock(tx, cluster, ctx.scope);
    if (row.task_id !== null && row.status !== 'PREPARING')
      throw new Locked(`PostgreSQL cluster ${cluster}`, row.task_id);
    const password = openPassword(service.cipher, await findUser(tx, row, user));
    if (password === undefined)
      throw new Conflict(`The password of ${user} was shown already; POST to the same path makes a new one`);
    await forgetPassword(tx, row.id, user);
    await recordAudit(tx, ctx, {
      action: 'show_dbaas_postgres_credentials',
      subject: row.id,
      ...ctx.scope,
    });
    return { username: user, password };
  });
}

/** Gives a user another password, and shows it. Resolves when it counts; when that takes its time, it counts later.
 *  @throws NotFound, Conflict while a task changes the cluster, or with the reason when it could not be done */
export async function regenerateCredentials(
  service: PostgresqlService,
  ctx: RegionContext,
  { cluster, user }: UserName,
) {
  providerFor(service, ctx);
  const password = newPassword();
  const verifier = await verifierOf(password);
  const task = await ctx.db.transaction(async (tx): Promise<TaskRef> => {
    const row = await lockReadyCluster(tx, ctx, cluster);
    await findUser(tx, row, user);
    const taskId = ctx.ids.uuid();
    await holdCluster(tx, row.id, { taskId, status: 'UPDATING' });
    await setNextVerifier(tx, row.id, user, verifier);
    return startFor(tx, ctx, 'regenerate_dbaas_postgres_credentials', row, { id: taskId });
  });
  await service.tasks.settled(ctx, task, `The password of ${user} could not be changed`);
  return { username: user, password };
}
