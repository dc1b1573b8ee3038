import { Faults } from '../../kernel/faults.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf, type Tx, together } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { checkedTags, checkTagChanges, patchTags, type StoredTags } from '../../platform/http/tags.ts';
import { startFor, startNothing, type TaskRef, taskFor } from '../../platform/tasks/start.ts';
import { requireAddresses } from '../capacity/index.ts';
import { adoptFloatingIps, attachFloatingIp } from '../networking/floating-ips/index.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import { requireSecrets } from '../secrets/index.ts';
import type { DataPlanes } from './data-planes.ts';
import { insertLoadBalancer } from './insert-store.ts';
import { connectMembers } from './members/connectivity.ts';
import { refuseUnreachable } from './members/reachable.ts';
import {
  concernsDataPlane,
  type LoadBalancerRow,
  requireTransition,
  type Settings,
  sameSettings,
  settingsAfter,
  settingsOf,
} from './model.ts';
import { refuseTooMany } from './parts/limits.ts';
import { planLoadBalancer, storedLogging } from './plan.ts';
import { checkLogRegion, membersOf, requireOfMembers } from './references.ts';
import { checkLoadBalancer } from './rules.ts';
import type { CreateLoadBalancer, UpdateLoadBalancer } from './schema.ts';
import { secretsOf } from './secret-uses.ts';
import * as store from './store.ts';
import type { UpdateInput } from './tasks/update.ts';
import { pathsOf, refuseUnservable } from './unservable.ts';
import { allocateAtOnce, findVipSubnets } from './vip.ts';

/** Of what a new one takes some. */
export const NEEDS = ['disk', 'memory', 'addresses_ipv4', 'addresses_ipv6'] as const;

/** Commands: one transaction each. */
export class LoadBalancerService {
  readonly #providers: DataPlanes;

  constructor(providers: DataPlanes) {
    this.#providers = providers;
  }

  /** @param fixedTags read-only ones, of whoever makes it for somebody
   *  @throws Invalid with every faulty field, NotFound for what the body names, Forbidden, QuotaExceeded */
  async create(ctx: RegionContext, input: CreateLoadBalancer, fixedTags: StoredTags = {}): Promise<TaskRef> {
    const faults = new Faults();
    checkLoadBalancer(input, faults);
    checkLogRegion(input.logging, this.#providers.regionIds(), faults);
    const tags = { ...checkedTags(input, faults), ...fixedTags };
    await this.#providers.require(ctx.region);
    const taskId = ctx.ids.uuid();
    const { id: projectId, clientId } = ctx.project;
    const regionId = ctx.region.id;
    const plan = planLoadBalancer(input, tags, { ...ctx, taskId, clientId, projectId, regionId });
    refuseTooMany(plan.parts);
    const amounts = { floating_count: input.floating_ip?.source === 'new' ? 1 : 0, loadbalancer_count: 1 };
    return withAddressAtOnce((atOnce) =>
      ctx.db.transaction(async (tx) => {
        await requireSecrets(tx, { projectId, regionId }, secretsOf(input), ctx.clock.now());
        await requireOfMembers(tx, membersOf(input), { projectId, regionId });
        await connectMembers(tx, plan.parts, input.preferred_connectivity);
        refuseUnreachable(this.#providers.of(regionId), plan.parts.of.member);
        const { addresses } = this.#providers;
        const vip = await findVipSubnets(tx, ctx, input, addresses);
        const provider = addresses.providerOf(regionId);
        const vip_address = atOnce ? await allocateAtOnce(plan.loadBalancer.id, vip, provider) : null;
        const [, , , task] = await together([
          guardProject(tx, projectId),
          insertLoadBalancer(tx, { ...plan, loadBalancer: { ...plan.loadBalancer, ...vip, vip_address } }),
          // Its floating IP is counted too.
          this.#attachFloatingIp(tx, ctx, input, plan.loadBalancer.id, taskId).then(() =>
            together([requireAddresses(tx, ctx, taskId), reserve(tx, ctx.quota, amounts)]),
          ),
          startFor(tx, ctx, 'create_loadbalancer', plan.loadBalancer, { id: taskId }),
        ]);
        await refuseUnservable(
          tx,
          this.#providers.of(regionId),
          plan.loadBalancer.id,
          pathsOf(plan.parts.of),
        );
        return task;
      }),
    );
  }

  /** Floating IPs come with the body, or with a reserved port that they lead to already. */
  async #attachFloatingIp(
    tx: Tx,
    ctx: RegionContext,
    { floating_ip: assignment, vip_port_id: reserved }: CreateLoadBalancer,
    id: string,
    taskId: string,
  ): Promise<void> {
    const provider = this.#providers.addresses.providerOf(ctx.region.id);
    if (assignment) {
      await attachFloatingIp(tx, ctx, provider, { to: { loadBalancerId: id }, taskId, assignment });
    }
    const adopted =
      reserved !== undefined &&
      (await adoptFloatingIps(tx, { loadBalancerId: id, portId: reserved, taskId }));
    if (assignment || adopted) await store.noteFloatingIps(tx, id, taskId);
  }

  /** Changes settings by a task; that of one that changes nothing has ended already.
   *  @throws Invalid, NotFound, Conflict naming the task that holds it, Forbidden */
  async update(ctx: RegionContext, id: string, input: UpdateLoadBalancer): Promise<TaskRef> {
    return this.#change(ctx, id, input, async (tx, row, settings) =>
      isUnchanged(row, settings)
        ? startNothing(tx, ctx, taskFor(ctx, 'update_loadbalancer', row))
        : this.#changeByTask(tx, ctx, row, settings),
    );
  }

  /** Changes settings at once; what the data plane has to follow, it follows by a task.
   *  @throws like `update` */
  async updateNow(ctx: RegionContext, id: string, input: UpdateLoadBalancer): Promise<void> {
    await this.#change(ctx, id, input, async (tx, row, settings) => {
      if (isUnchanged(row, settings)) return;
      if (sameSettings(row, settings) || concernsDataPlane(row, settings)) {
        await this.#changeByTask(tx, ctx, row, settings);
        return;
      }
      await store.changeLoadBalancer(tx, id, settings, ctx.clock.timestamp());
      await recordAudit(tx, ctx, {
        action: 'update_loadbalancer',
        subject: id,
        projectId: row.project_id,
        regionId: row.region_id,
      });
    });
  }

  async #change<T>(
    ctx: RegionContext,
    id: string,
    input: UpdateLoadBalancer,
    write: (tx: Tx, row: LoadBalancerRow, settings: Settings) => Promise<T>,
  ): Promise<T> {
    await this.#providers.require(ctx.region);
    const faults = new Faults();
    checkLogRegion(input.logging, this.#providers.regionIds(), faults);
    checkTagChanges(input, faults);
    faults.refuse();
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockLoadBalancer(tx, id, ctx.scope);
      const settings = settingsAfter(settingsOf(row), input, {
        tags: patchTags(row.tags, input.tags),
        logging: storedLogging(input.logging, row.id, row.region_id) ?? row.logging,
      });
      requireTransition(row, 'PENDING_UPDATE');
      return write(tx, row, settings);
    });
  }

  async #changeByTask(
    tx: Tx,
    ctx: RegionContext,
    row: LoadBalancerRow,
    settings: Settings,
  ): Promise<TaskRef> {
    const taskId = ctx.ids.uuid();
    const input: UpdateInput = { previous: settingsOf(row), version: row.version + 1 };
    await store.changeLoadBalancer(tx, row.id, settings, ctx.clock.timestamp());
    await store.holdLoadBalancer(tx, row.id, 'PENDING_UPDATE', taskId);
    await refuseUnservable(tx, this.#providers.of(row.region_id), row.id);
    return startFor(tx, ctx, 'update_loadbalancer', row, { id: taskId, input: { ...input } });
  }

  /** Deletes it with everything that belongs to it.
   *  @throws NotFound, Conflict naming the task that holds it, Forbidden */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    await this.#providers.require(ctx.region);
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockLoadBalancer(tx, id, ctx.scope);
      requireTransition(row, 'PENDING_DELETE');
      const taskId = ctx.ids.uuid();
      await store.holdLoadBalancer(tx, id, 'PENDING_DELETE', taskId);
      return startFor(tx, ctx, 'delete_loadbalancer', row, { id: taskId });
    });
  }
}

/** Tries to create with an address at once, and leaves it to the task if somebody gets it in the same moment. */
async function withAddressAtOnce<T>(create: (atOnce: boolean) => Promise<T>): Promise<T> {
  try {
    return await create(true);
  } catch (error) {
    if (constraintOf(error) !== 'region_addresses_pkey') throw error;
    return create(false);
  }
}

/** Whether nothing is to be done. What is in ERROR is repaired by any change, also by one that says what the rows say
 *  already. */
const isUnchanged = (row: LoadBalancerRow, settings: Settings): boolean =>
  sameSettings(row, settings) && row.provisioning_status !== 'ERROR';
