import { done, type TaskHandler, waitFor } from '../../../platform/tasks/handler.ts';
import {
  addressAttached,
  dropAttached,
  releaseAttached,
  settleAttached,
} from '../../networking/floating-ips/index.ts';
import { release } from '../../quotas/index.ts';
import type { DataPlanes } from '../data-planes.ts';
import type { LoadBalancerTree } from '../model.ts';
import { deleteLoadBalancer } from '../store.ts';
import { addressProvider, converge, heldTree, TASK_DEADLINE_MS } from './common.ts';

/** Brings a new load balancer up; when that fails, nothing of it is left. */
export function createTask(providers: DataPlanes): TaskHandler {
  return {
    type: 'create_loadbalancer',
    deadlineMs: TASK_DEADLINE_MS,
    async run(run) {
      const accepted = await heldTree(run);
      // Before the virtual address is stored: from then on the load balancer is served with what it has.
      const floating = accepted.assigned_floating
        ? await addressAttached(run.db, addressProvider(run, providers), run.task.id)
        : [];
      const tree = accepted.assigned_floating ? await heldTree(run) : accepted;
      const created = { ...createdBy(tree), floatingips: floating };
      return converge(run, tree, providers, {
        created,
        commit: async (tx) => {
          if (tree.floating_addresses.length > 0) await settleAttached(tx, run.task.id, run.timestamp);
        },
      });
    },
    async undo({ db, task, operation, timestamp }) {
      const { regionId, subject } = task;
      const provider = regionId === null ? undefined : providers.of(regionId);
      const waiting = provider && waitFor(await provider.remove(subject, operation));
      if (waiting) return waiting;
      const addresses = regionId === null ? undefined : providers.addresses.providerOf(regionId);
      await releaseAttached(db, addresses, task.id);
      return done({}, async (tx) => {
        await dropAttached(tx, task.id, timestamp);
        if (await deleteLoadBalancer(tx, subject, task.id))
          await release(tx, task, { loadbalancer_count: 1 });
      });
    },
  };
}

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

function createdBy(tree: LoadBalancerTree) {
  return {
    loadbalancers: [tree.id],
    listeners: ids(tree.listeners),
    pools: ids(tree.pools),
    members: ids(tree.members),
    healthmonitors: ids(tree.monitors),
  };
}
