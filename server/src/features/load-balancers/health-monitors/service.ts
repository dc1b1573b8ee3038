import { Conflict, NotFound } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import type { TaskReads } from '../../tasks/index.ts';
import type { HealthMonitorRow, LoadBalancerTree, PoolRow } from '../model.ts';
import { monitorColumns } from '../parts/rows.ts';
import { differing, type PartService, partOf } from '../parts/service.ts';
import { changedMonitor } from './changed.ts';
import { checkHealthMonitor } from './rules.ts';
import type { HealthMonitorInput, PatchHealthMonitor } from './schema.ts';

/** How long a deletion without a task in its answer waits for the data plane. */
const DELETION_SECONDS = 10;

/** Commands on the health monitor of a pool: one transaction and one task each. */
export class HealthMonitorService {
  readonly #parts: PartService;
  readonly #tasks: TaskReads;

  constructor(parts: PartService, tasks: TaskReads) {
    this.#parts = parts;
    this.#tasks = tasks;
  }

  /** @throws Invalid, NotFound for the pool, Conflict when it has one */
  async create(ctx: RegionContext, poolId: string, input: HealthMonitorInput): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'pool', id: poolId }, ({ tree, rows }) => {
      const pool = partOf(tree.pools, poolId, 'Pool');
      const faults = new Faults();
      checkHealthMonitor(input, pool.protocol, '', faults);
      faults.refuse();
      const other = tree.monitors.find(({ pool_id }) => pool_id === pool.id);
      if (other) throw new Conflict(`Pool ${pool.id} has health monitor ${other.id} already`);
      const id = rows.addMonitor(pool.id, input);
      return {
        task: 'create_lbpool_health_monitor',
        subject: { id, name: pool.name },
        data: { pool_id: pool.id },
      };
    });
  }

  /** Changes what is given.
   *  @throws Invalid with every faulty field, NotFound for the pool, or when it has none */
  async update(ctx: RegionContext, poolId: string, input: PatchHealthMonitor): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'pool', id: poolId }, ({ tree }) => {
      const pool = partOf(tree.pools, poolId, 'Pool');
      const monitor = monitorOf(tree, pool);
      const { delay, timeout, max_retries } = monitor;
      const requested = changedMonitor(monitor, { delay, timeout, max_retries, ...input });
      const faults = new Faults();
      checkHealthMonitor(requested, pool.protocol, '', faults);
      faults.refuse();
      return {
        task: 'patch_lbpool_health_monitor',
        subject: { id: monitor.id, name: pool.name },
        data: { pool_id: pool.id },
        updates: {
          monitor: [{ id: monitor.id, set: differing('monitor', monitor, monitorColumns(requested)) }],
        },
      };
    });
  }

  /** Resolves when it is gone; when the data plane takes its time, it goes later.
   *  @throws NotFound for the pool, or when it has none; Conflict with the reason when it could not go */
  async delete(ctx: RegionContext, poolId: string): Promise<void> {
    const { tasks } = await this.#parts.changePart(ctx, { kind: 'pool', id: poolId }, ({ tree }) => {
      const pool = partOf(tree.pools, poolId, 'Pool');
      const monitor = monitorOf(tree, pool);
      return {
        task: 'delete_lbpool_health_monitor',
        subject: { id: monitor.id, name: pool.name },
        data: { pool_id: pool.id },
        removals: [{ kind: 'monitor', id: monitor.id }],
      };
    });
    // An operator may do this to another client's project, whose task it is then.
    const owner = { ...ctx, caller: { ...ctx.caller, clientId: ctx.project.clientId } };
    for (const id of tasks) {
      const { state, error } = await this.#tasks.await(owner, id, DELETION_SECONDS);
      if (state === 'ERROR') throw new Conflict(`The health monitor could not be deleted: ${error}`);
    }
  }
}

function monitorOf(tree: LoadBalancerTree, pool: PoolRow): HealthMonitorRow {
  const monitor = tree.monitors.find(({ pool_id }) => pool_id === pool.id);
  if (!monitor) throw new NotFound(`Pool ${pool.id} has no health monitor`);
  return monitor;
}
