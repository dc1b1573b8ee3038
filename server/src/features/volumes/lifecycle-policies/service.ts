import { isDeepStrictEqual } from 'node:util';
import { Invalid, NotFound } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import { recordAudit } from '../../../platform/audit/audit.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { viewPage } from '../../../platform/database/list-page.ts';
import { refuseMore } from '../../../platform/database/refuse-more.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { guardProject } from '../../projects/index.ts';
import { release, reserve } from '../../quotas/index.ts';
import { requireVolumes, type VolumeDeps } from '../deps.ts';
import { MAX_POLICIES, MAX_SCHEDULES, type PolicyRow, type PolicyStatus } from './model.ts';
import { changedSchedule, checkSchedules, type RequestedSchedule } from './rules.ts';
import * as schedules from './schedule-store.ts';
import type {
  AddSchedules,
  CreateLifecyclePolicy,
  LifecyclePolicy,
  LifecyclePolicyListQuery,
  MaxPolicyUsage,
  PolicyVolumes,
  PriceSnapshots,
  RemoveSchedules,
  Schedule as ShownSchedule,
  UpdateLifecyclePolicy,
  UpdateSchedule,
} from './schema.ts';
import * as store from './store.ts';
import { nextRun } from './timing.ts';
import { maxPrice, maxUsage } from './usage.ts';
import { viewPolicy } from './views.ts';
import { checkVolumes } from './volumes.ts';

/** What the quota counts of schedules. */
const counted = (all: readonly unknown[]) => ({ snapshot_schedule_count: all.length });

const noSchedule = (id: string) => new NotFound(`Schedule ${id} was not found`);

/** Commands on lifecycle policies, one transaction each, and reads. */
export class LifecyclePolicyService {
  readonly #deps: Pick<VolumeDeps, 'prices' | 'providerOf'>;

  constructor(deps: Pick<VolumeDeps, 'prices' | 'providerOf'>) {
    this.#deps = deps;
  }

  /** @throws Invalid with every fault, Forbidden for one policy too many, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateLifecyclePolicy): Promise<LifecyclePolicy> {
    requireVolumes(this.#deps, ctx);
    const [faults, now] = [new Faults(), ctx.clock.now()];
    const requested = checkSchedules(input.schedules, faults, now);
    const id = await ctx.db.transaction(async (tx) => {
      await guardProject(tx, ctx.project.id);
      const volumes = await checkVolumes(tx, ctx.scope, input.volume_ids ?? [], faults);
      faults.refuse();
      await refuseMore(tx, {
        what: 'lifecycle policies',
        owner: `project ${ctx.project.id} in region ${ctx.region.id}`,
        limit: MAX_POLICIES,
        count: () => store.countPolicies(tx, ctx.scope),
      });
      const { name, status } = input;
      const row = { ...columnsOf(ctx), name, status, timestamp: ctx.clock.timestamp() };
      const policy = await store.insertPolicy(tx, row);
      await insertSchedules(tx, ctx, { id: policy, status }, requested, now);
      await store.addVolumes(
        tx,
        policy,
        volumes.map(({ id: volume }) => volume),
      );
      await recordAudit(tx, ctx, { action: 'create_lifecycle_policy', subject: policy, name, ...ctx.scope });
      await reserve(tx, ctx.quota, counted(requested));
      return policy;
    });
    return this.get(ctx, id);
  }

  /** A policy that goes on counts its intervals from now on; one that is paused makes nothing, also of what is due.
   *  @throws NotFound */
  async update(ctx: RegionContext, id: number, input: UpdateLifecyclePolicy): Promise<LifecyclePolicy> {
    return this.#change(ctx, id, 'update_lifecycle_policy', async (tx, row) => {
      const { name = row.name, status = row.status } = input;
      await store.changePolicy(tx, { id, name, status });
      if (status === row.status) return;
      const now = ctx.clock.now();
      for (const schedule of await schedules.lockSchedules(tx, id))
        await schedules.setNextRun(tx, startedAt(now, status, schedule, nextRun(schedule.timing, now)));
      if (status === 'paused') await schedules.dropRuns(tx, id);
    });
  }

  /** Its snapshots stay. @throws NotFound */
  async delete(ctx: RegionContext, id: number): Promise<void> {
    await ctx.db.transaction(async (tx) => {
      const { name } = await store.lockPolicy(tx, id, ctx.scope);
      const had = await schedules.lockSchedules(tx, id);
      await store.deletePolicy(tx, id);
      await recordAudit(tx, ctx, { action: 'delete_lifecycle_policy', subject: id, name, ...ctx.scope });
      await release(tx, ctx.quota, counted(had));
    });
  }

  /** @throws NotFound, Invalid naming volumes that cannot be added */
  async addVolumes(ctx: RegionContext, id: number, { volume_ids: ids }: PolicyVolumes) {
    return this.#change(ctx, id, 'add_lifecycle_policy_volumes', async (tx) => {
      const faults = new Faults();
      const volumes = await checkVolumes(tx, ctx.scope, ids, faults);
      faults.refuse();
      await store.addVolumes(
        tx,
        id,
        volumes.map(({ id: volume }) => volume),
      );
    });
  }

  /** Their snapshots stay. @throws NotFound */
  async removeVolumes(ctx: RegionContext, id: number, { volume_ids: ids }: PolicyVolumes) {
    return this.#change(ctx, id, 'remove_lifecycle_policy_volumes', async (tx) => {
      await schedules.lockSchedules(tx, id);
      await store.removeVolumes(tx, id, ids);
    });
  }

  /** @throws NotFound, Invalid with every fault, QuotaExceeded */
  async addSchedules(ctx: RegionContext, id: number, input: AddSchedules) {
    const [faults, now] = [new Faults(), ctx.clock.now()];
    const requested = checkSchedules(input.schedules, faults, now);
    return this.#change(ctx, id, 'update_lifecycle_policy', async (tx, row) => {
      const has = await schedules.lockSchedules(tx, id);
      if (has.length + requested.length > MAX_SCHEDULES)
        faults.add('schedules', `the policy has ${has.length} already; ${MAX_SCHEDULES} are the most`);
      faults.refuse();
      await insertSchedules(tx, ctx, row, requested, now);
      await reserve(tx, ctx.quota, counted(requested));
    });
  }

  /** Their snapshots stay. @throws NotFound, Invalid naming schedules that it does not have */
  async removeSchedules(ctx: RegionContext, id: number, { schedule_ids: ids }: RemoveSchedules) {
    return this.#change(ctx, id, 'update_lifecycle_policy', async (tx) => {
      const known = new Set((await schedules.lockSchedules(tx, id)).map((schedule) => schedule.id));
      const unknown = ids.filter((each) => !known.has(each.toLowerCase()));
      if (unknown.length > 0) {
        throw new Invalid({ schedule_ids: unknown.map((each) => `the policy has no schedule ${each}`) });
      }
      await schedules.deleteSchedules(tx, id, ids);
      await release(tx, ctx.quota, counted([...new Set(ids.map((each) => each.toLowerCase()))]));
    });
  }

  /** @throws NotFound */
  async getSchedule(ctx: RegionContext, id: string): Promise<ShownSchedule> {
    const policy = await this.get(ctx, await this.#policyOf(ctx, id));
    const schedule = policy.schedules.find((each) => each.id === id.toLowerCase());
    if (!schedule) throw noSchedule(id);
    return schedule;
  }

  /** What is not given stays. Intervals are counted from now on when it runs at other times.
   *  @throws NotFound, Invalid with every fault */
  async updateSchedule(ctx: RegionContext, id: string, input: UpdateSchedule): Promise<ShownSchedule> {
    const policyId = await this.#policyOf(ctx, id);
    await this.#change(ctx, policyId, 'update_lifecycle_policy', async (tx, row) => {
      const all = await schedules.lockSchedules(tx, policyId);
      const before = all.find((each) => each.id === id.toLowerCase());
      if (!before) throw noSchedule(id);
      const [faults, now] = [new Faults(), ctx.clock.now()];
      const { firstRun, ...changed } = changedSchedule(before, input, faults, now);
      faults.refuse();
      const after = { id: before.id, ...changed };
      await schedules.changeSchedule(tx, after);
      if (isDeepStrictEqual({ ...before.timing }, { ...after.timing })) return;
      await schedules.setNextRun(tx, startedAt(now, row.status, after, firstRun));
    });
    return this.getSchedule(ctx, id);
  }

  async #policyOf(ctx: RegionContext, id: string): Promise<number> {
    const policy = await schedules.policyOf(ctx.db, id, ctx.scope);
    if (policy === undefined) throw noSchedule(id);
    return policy;
  }

  /** What the snapshots of these volumes would cost at most. @throws Invalid with every fault */
  async price(ctx: RegionContext, input: PriceSnapshots) {
    const faults = new Faults();
    const requested = checkSchedules(input.schedules, faults, ctx.clock.now());
    const volumes = await ctx.db.transaction((tx) => checkVolumes(tx, ctx.scope, input.volume_ids, faults));
    faults.refuse();
    return maxPrice(requested, volumes, this.#deps.prices);
  }

  /** How many snapshots there can be of a policy at the same time, and how large they are, in GiB; nothing is made.
   *  @throws Invalid with every fault */
  async estimateMaxUsage(ctx: RegionContext, input: CreateLifecyclePolicy): Promise<MaxPolicyUsage> {
    const faults = new Faults();
    const requested = checkSchedules(input.schedules, faults, ctx.clock.now());
    const volumes = await ctx.db.transaction((tx) =>
      checkVolumes(tx, ctx.scope, input.volume_ids ?? [], faults),
    );
    faults.refuse();
    return maxUsage(requested, volumes, this.#deps.prices);
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: number): Promise<LifecyclePolicy> {
    return viewPolicy(await store.readPolicy(ctx.db, id, ctx.scope));
  }

  async list(ctx: RegionContext, { limit, offset }: LifecyclePolicyListQuery) {
    return viewPage(await store.listPolicies(ctx.db, ctx.scope, { limit, offset }), viewPolicy);
  }

  /** Changes a policy under its lock. */
  async #change(
    ctx: RegionContext,
    id: number,
    action: string,
    change: (tx: Tx, row: PolicyRow) => Promise<void>,
  ): Promise<LifecyclePolicy> {
    requireVolumes(this.#deps, ctx);
    await ctx.db.transaction(async (tx) => {
      const row = await store.lockPolicy(tx, id, ctx.scope);
      await change(tx, row);
      await recordAudit(tx, ctx, { action, subject: id, name: row.name, ...ctx.scope });
    });
    return this.get(ctx, id);
  }
}

const columnsOf = ({ project, region, caller }: RegionContext) => ({
  project_id: project.id,
  region_id: region.id,
  client_id: project.clientId,
  user_id: caller.userId,
});

/** A schedule whose intervals are counted from now on. */
const startedAt = <Of>(now: Date, status: PolicyStatus, schedule: Of, firstRun: Date | undefined) => ({
  ...schedule,
  countedFrom: now,
  nextRunAt: status === 'paused' ? null : (firstRun ?? null),
});

/** @param now from when their intervals are counted */
async function insertSchedules(
  tx: Tx,
  ctx: RegionContext,
  { id, status }: Pick<PolicyRow, 'id' | 'status'>,
  requested: readonly RequestedSchedule[],
  now: Date,
): Promise<void> {
  const all = requested.map(({ firstRun, ...schedule }) =>
    startedAt(now, status, { id: ctx.ids.uuid(), ...schedule }, firstRun),
  );
  await schedules.insertSchedules(tx, id, all);
}
