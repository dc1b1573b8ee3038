import { TaskFailed } from '../../kernel/errors.ts';
import type { Operation } from '../../kernel/operation.ts';
import { noteLeftover } from '../../platform/owners/leftover-store.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import {
  type Done,
  done,
  type TaskHandler,
  type TaskRun,
  type Wait,
  waitFor,
} from '../../platform/tasks/handler.ts';
import { type Providers, providerOfTask, undoing } from '../../platform/tasks/providers.ts';
import { issueTls } from '../../platform/x509/issue.ts';
import { quotaOf, release } from '../quotas/index.ts';
import { sealTlsKey } from './certificates.ts';
import * as store from './cluster-store.ts';
import { desiredOf, type HostedCluster, hasHost } from './desired.ts';
import { additionsOf, CLUSTER_AMOUNTS, type ClusterRow, type ClusterSpec } from './model.ts';
import { type ClusterChange, type PostgresqlProvider, RESTORE_CLUSTER } from './port.ts';
import { activateNextVerifiers, deleteUsers, dropNextVerifiers, readUsers } from './user-store.ts';

export interface TaskDeps extends Providers<PostgresqlProvider> {
  readonly cipher: Cipher;
}

/** A change of a cluster that has its data. */
const PLAIN: ClusterChange = { isNew: false, retracted: { databases: [], users: [] } };
const MINUTE_MS = 60_000;
const DEADLINE_MS = 60 * MINUTE_MS;

const providerFor = providerOfTask('managed PostgreSQL');

/** @throws TaskFailed when a deletion has taken the cluster over */
async function requireHeld({ db, task }: TaskRun): Promise<ClusterRow> {
  const row = await store.clusters.readHeld(db, task.subject, task.id);
  if (!row) throw new TaskFailed('The cluster was deleted meanwhile');
  return row;
}

const restoring = (run: TaskRun) => undoing(run, RESTORE_CLUSTER);

/** Removes the cluster that the task holds, and forgets it with what it counted. */
async function remove(run: TaskRun, deps: TaskDeps, operation: Operation): Promise<Done | Wait> {
  const row = await store.clusters.readHeld(run.db, run.task.subject, run.task.id);
  if (!row) return done({});
  const waiting = waitFor(await providerFor(run, deps).removeCluster(row.id, operation));
  if (waiting) return waiting;
  return done({}, async (tx) => {
    if (!(await store.clusters.deleteHeld(tx, row.id, run.task.id))) return;
    await noteLeftover(tx, row.region_id, { kind: 'postgresql_cluster', id: row.id, creator: null });
    await release(tx, quotaOf(row), CLUSTER_AMOUNTS);
  });
}

/** The cluster with its host, which it is given once, and what its servers prove themselves with there. */
async function withAddress(
  run: TaskRun,
  row: ClusterRow,
  provider: PostgresqlProvider,
  { cipher }: TaskDeps,
): Promise<HostedCluster> {
  if (hasHost(row)) return row;
  const host = row.host ?? (await provider.hostOf(row.id));
  const { ca, certificate, privateKey } = await issueTls(row.name, host, run.now);
  const location = {
    host,
    ca_certificate: ca,
    server_certificate: certificate,
    ...sealTlsKey(cipher, row.id, privateKey),
  };
  await store.setLocation(run.db, row.id, run.task.id, location);
  return { ...row, ...location };
}

/** What a change that failed leaves: all as it was, but for a version that has been reached, from which there is no way
 *  back. */
async function reachedSpec({ id, spec }: ClusterRow, provider: PostgresqlProvider): Promise<ClusterSpec> {
  const version = (await provider.versionOf?.(id)) ?? spec.version;
  return Number(version) > Number(spec.version) ? { ...spec, version } : spec;
}

/** A new cluster; when it cannot be made, nothing of it is left. */
const createCluster = (deps: TaskDeps): TaskHandler => ({
  type: 'create_dbaas_postgres_cluster',
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const row = await requireHeld(run);
    const provider = providerFor(run, deps);
    const cluster = await withAddress(run, row, provider, deps);
    const users = await readUsers(run.db, [row.id]);
    const desired = desiredOf(deps.cipher, cluster, row.spec, users);
    const source = row.restored_from;
    const change = { ...PLAIN, isNew: true, ...(source && { source }) };
    const waiting = waitFor(await provider.applyCluster(desired, change, run.operation));
    if (waiting) return waiting;
    return done({ postgresql_clusters: [row.name] }, async (tx) => {
      await store.settleCluster(tx, row.id, { taskId: run.task.id, status: 'READY', spec: row.spec });
    });
  },
  undo: (run) => remove(run, deps, restoring(run)),
});

/** What a cluster is to become, or new credentials of a user; when that cannot be done, it is as it was. */
const changeCluster = (type: string, deps: TaskDeps): TaskHandler => ({
  type,
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const row = await requireHeld(run);
    const spec = row.next_spec ?? row.spec;
    const provider = providerFor(run, deps);
    const users = (await readUsers(run.db, [row.id])).map((user) => ({
      ...user,
      verifier: user.next_verifier ?? user.verifier,
    }));
    const desired = desiredOf(deps.cipher, await withAddress(run, row, provider, deps), spec, users);
    const waiting = waitFor(await provider.applyCluster(desired, PLAIN, run.operation));
    if (waiting) return waiting;
    return done({}, async (tx) => {
      if (!(await store.settleCluster(tx, row.id, { taskId: run.task.id, status: 'READY', spec }))) return;
      await activateNextVerifiers(tx, row.id);
    });
  },
  async undo(run) {
    const row = await store.clusters.readHeld(run.db, run.task.subject, run.task.id);
    if (!row) return done({});
    const provider = providerFor(run, deps);
    const retracted = additionsOf(row.spec, row.next_spec ?? row.spec);
    const users = await readUsers(run.db, [row.id]);
    const spec = await reachedSpec(row, provider);
    const desired = desiredOf(deps.cipher, await withAddress(run, row, provider, deps), spec, users);
    const waiting = waitFor(await provider.applyCluster(desired, { ...PLAIN, retracted }, restoring(run)));
    if (waiting) return waiting;
    return done({}, async (tx) => {
      const outcome = { taskId: run.task.id, status: 'READY', spec } as const;
      if (!(await store.settleCluster(tx, row.id, outcome))) return;
      await deleteUsers(tx, row.id, retracted.users);
      await dropNextVerifiers(tx, row.id);
    });
  },
});

/** A cluster that could not be deleted may have lost its data: it can only be deleted again. */
const deleteCluster = (deps: TaskDeps): TaskHandler => ({
  type: 'delete_dbaas_postgres_cluster',
  deadlineMs: DEADLINE_MS,
  run: (run) => remove(run, deps, run.operation),
  async undo(run) {
    const row = await store.clusters.readHeld(run.db, run.task.subject, run.task.id);
    if (!row) return done({});
    return done({}, async (tx) => {
      await store.settleCluster(tx, row.id, { taskId: run.task.id, status: 'FAILED', spec: row.spec });
    });
  },
});

export const postgresqlTasks = (deps: TaskDeps): readonly TaskHandler[] => [
  createCluster(deps),
  changeCluster('update_dbaas_postgres_cluster', deps),
  changeCluster('regenerate_dbaas_postgres_credentials', deps),
  deleteCluster(deps),
];
