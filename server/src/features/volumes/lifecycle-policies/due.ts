import { DomainError, messageOf } from '../../../kernel/errors.ts';
import type { BackgroundJob } from '../../../platform/feature.ts';
import { inRegion, type RegionTaskContext } from '../../../platform/http/context.ts';
import { requireActive } from '../../../platform/http/scope.ts';
import { requireVolumes, type VolumeDeps } from '../deps.ts';
import { deleteSnapshot, makeSnapshot } from '../snapshots/service.ts';
import * as store from './due-store.ts';
import { snapshotName } from './model.ts';
import { setNextRun } from './schedule-store.ts';
import { millisecondsOf, nextRun } from './timing.ts';

const EVERY_MS = 1000;
const PAGE = 100;
/** What was refused is tried again after this. */
const RETRY_MS = 60_000;

export type DueDeps = Pick<VolumeDeps, 'db' | 'clock' | 'ids' | 'log' | 'providerOf'>;

/** Makes snapshots when schedules say so, and deletes those that have expired.
 *
 *  A schedule that is due writes down a run for each volume, and when it is due next, in one transaction. A run is
 *  gone when the task that makes its snapshot is there, in one transaction, too. So nothing is left out or done twice
 *  by a crash. What a schedule has missed while nobody worked is made once. */
export const dueJob = (deps: DueDeps): BackgroundJob => ({
  name: 'lifecycle-policies',
  everyMs: EVERY_MS,
  exclusive: true,
  run: (signal) => runDue(deps, signal),
});

export async function runDue(deps: DueDeps, signal: AbortSignal): Promise<void> {
  await whileFull(signal, () => beginRuns(deps));
  await whileFull(signal, async () => {
    const runs = await store.readDueRuns(deps.db, deps.clock.now(), PAGE);
    for (const run of runs) await makeDue(deps, run);
    return runs.length;
  });
  await whileFull(signal, async () => {
    const expired = await store.readExpired(deps.db, deps.clock.now(), PAGE);
    for (const snapshot of expired) await deleteExpired(deps, snapshot);
    return expired.length;
  });
}

/** @param work returns how much it has done */
async function whileFull(signal: AbortSignal, work: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await work()) === PAGE);
}

function beginRuns({ db, clock }: DueDeps): Promise<number> {
  return db.transaction(async (tx) => {
    const now = clock.now();
    const due = await store.lockDueSchedules(tx, now, PAGE);
    for (const schedule of due) {
      const { id, timing, counted_from: countedFrom } = schedule;
      await store.insertRuns(tx, schedule, now);
      await setNextRun(tx, { id, countedFrom, nextRunAt: nextRun(timing, countedFrom, now) ?? null });
    }
    return due.length;
  });
}

async function makeDue(deps: DueDeps, run: store.DueRun): Promise<void> {
  const { schedule, volume_id: volumeId } = run;
  const lasts = schedule.retentionTime ? millisecondsOf(schedule.retentionTime) : 0;
  const { log, db, clock } = deps;
  const now = clock.now().getTime();
  const requested = {
    volumeId,
    name: snapshotName(schedule.nameTemplate, volumeId),
    description: `Made by lifecycle policy ${run.policy_name}`,
    tags: {},
    schedule: {
      id: schedule.id,
      policyId: run.policy_id,
      expiresAt: lasts > 0 ? new Date(now + lasts) : null,
    },
  };
  try {
    await db.transaction(async (tx) => {
      // Whoever deletes the volume locks it first, too, and its runs then.
      await makeSnapshot(tx, acting(deps, run), requested);
      if (!(await store.endRun(tx, run))) throw new NothingToDo();
    });
  } catch (error) {
    if (error instanceof NothingToDo) return;
    if (!(error instanceof DomainError))
      log.warn({ err: error, volume: volumeId }, `a scheduled snapshot failed: ${messageOf(error)}`);
    const refusal =
      error instanceof DomainError
        ? error.message
        : 'Something went wrong on our side; the log of the server says what';
    await store.putOffRun(db, run, new Date(now + RETRY_MS), refusal);
  }
}

/** The transaction is to leave nothing behind. */
class NothingToDo extends Error {}

async function deleteExpired(deps: DueDeps, snapshot: store.Expired): Promise<void> {
  const { db, log, clock } = deps;
  const { id } = snapshot;
  try {
    await db.transaction((tx) => deleteSnapshot(tx, acting(deps, snapshot), id));
  } catch (error) {
    if (!(error instanceof DomainError))
      log.warn({ err: error, snapshot: id }, `an expired snapshot was not deleted: ${messageOf(error)}`);
    await store.putOffExpiry(db, id, new Date(clock.now().getTime() + RETRY_MS));
  }
}

/** In the name of whoever made the policy.
 *  @throws Forbidden where nothing can be changed at present */
function acting(deps: DueDeps, row: store.ActingFor): RegionTaskContext {
  const { db, clock, ids } = deps;
  const region = { id: row.region_id, name: row.region_name, state: row.region_state };
  requireActive(region);
  requireVolumes(deps, { region });
  return {
    db,
    clock,
    ids,
    requestId: ids.uuid(),
    caller: { tokenId: 0, clientId: row.client_id, userId: row.user_id, role: 'Users' },
    remoteAddress: null,
    userAgent: `lifecycle policy ${row.policy_id}`,
    ...inRegion({ id: row.project_id, clientId: row.client_id }, region),
  };
}
