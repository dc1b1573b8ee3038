import { Faults } from '../../../kernel/faults.ts';
import { changedMonitor } from '../health-monitors/changed.ts';
import type { HealthMonitorInput } from '../health-monitors/schema.ts';
import { poolRule } from '../listeners/rules.ts';
import { checkMembers } from '../members/rules.ts';
import type { HealthMonitorRow, LoadBalancerTree, PoolRow } from '../model.ts';
import { checkPool } from './rules.ts';
import type { UpdatePool } from './schema.ts';

/** What a change of a pool asks for, checked against what is there. */
export interface ChangedPool {
  readonly monitor: HealthMonitorRow | undefined;
  /** What the monitor shall be; null: it goes; undefined: it stays as it is. */
  readonly requested: HealthMonitorInput | null | undefined;
}

/** @throws Invalid with every faulty field */
export function checkChange(row: PoolRow, input: UpdatePool, tree: LoadBalancerTree): ChangedPool {
  const faults = new Faults();
  const monitor = tree.monitors.find(({ pool_id }) => pool_id === row.id);
  const requested = requestedMonitor(monitor, input, faults);
  const protocol = input.protocol ?? row.protocol;
  checkFits(row, input, tree, faults);
  checkMembers(input.members ?? [], 'members.', faults);
  const kept = requested === undefined ? monitor : (requested ?? undefined);
  checkPool(
    {
      name: row.name,
      protocol,
      lb_algorithm: input.lb_algorithm ?? row.lb_algorithm,
      session_persistence:
        input.session_persistence === undefined ? row.session_persistence : input.session_persistence,
      secret_id: input.secret_id === undefined ? row.secret_id : input.secret_id,
      ca_secret_id: input.ca_secret_id === undefined ? row.ca_secret_id : input.ca_secret_id,
      crl_secret_id: input.crl_secret_id === undefined ? row.crl_secret_id : input.crl_secret_id,
      ...(kept ? { healthmonitor: kept } : {}),
    },
    '',
    faults,
  );
  faults.refuse();
  return { monitor, requested };
}

function requestedMonitor(
  monitor: HealthMonitorRow | undefined,
  { healthmonitor: change }: UpdatePool,
  faults: Faults,
): HealthMonitorInput | null | undefined {
  if (change == null) return change;
  if (monitor) return changedMonitor(monitor, change);
  const { type, ...rest } = change;
  if (type) return { ...rest, type };
  faults.add('healthmonitor.type', 'is required: the pool has no health monitor yet');
  return undefined;
}

function checkFits(row: PoolRow, { protocol }: UpdatePool, tree: LoadBalancerTree, faults: Faults): void {
  if (protocol === undefined || protocol === row.protocol) return;
  const redirecting = new Set(
    tree.policies.filter((each) => each.redirect_pool_id === row.id).map((each) => each.listener_id),
  );
  for (const listener of tree.listeners) {
    if (listener.default_pool_id !== row.id && !redirecting.has(listener.id)) continue;
    const rule = poolRule(protocol, listener.protocol);
    if (rule) faults.add('protocol', `${rule} (${listener.name})`);
  }
}
