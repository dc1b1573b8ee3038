import { Conflict, Invalid, NotFound } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import { pick } from '../../../platform/database/rows.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import { requireSecrets } from '../../secrets/index.ts';
import { refuseRedirectedPool } from '../l7-policies/pool-use.ts';
import { poolRule } from '../listeners/rules.ts';
import { replaceMembers } from '../members/replace.ts';
import type { ListenerRow, LoadBalancerTree, PoolRow } from '../model.ts';
import type { PartKind, PartRef } from '../parts/kinds.ts';
import { monitorColumns, type NewRows, storedPersistence } from '../parts/rows.ts';
import {
  type Decision,
  differing,
  type PartChange,
  type PartService,
  partOf,
  scopeOf,
} from '../parts/service.ts';
import type { Changes, PartPatch } from '../parts/store.ts';
import { requireOfMembers } from '../references.ts';
import { poolSecrets } from '../secret-uses.ts';
import { type ChangedPool, checkChange } from './changed.ts';
import { checkPool } from './rules.ts';
import type { CreatePool, UpdatePool } from './schema.ts';

/** Commands on pools: one transaction and one task each. */
export class PoolService {
  readonly #parts: PartService;

  constructor(parts: PartService) {
    this.#parts = parts;
  }

  /** A pool of a listener becomes its default pool; one of a load balancer waits for a policy or a listener.
   *  @throws Invalid with every faulty field, NotFound for what the body names, Conflict when the listener has a
   *  default pool */
  async create(ctx: RegionContext, input: CreatePool): Promise<TaskRef> {
    const { listener_id: listenerId } = input;
    const loadBalancerId = input.load_balancer_id ?? input.loadbalancer_id;
    const faults = new Faults();
    if (!listenerId && !loadBalancerId) {
      for (const field of ['listener_id', 'load_balancer_id']) {
        faults.add(field, 'listener_id or load_balancer_id is required');
      }
    }
    checkPool(input, '', faults);
    faults.refuse();
    const decide = async ({ tree, rows, tx }: Decision): Promise<PartChange> => {
      const listener = listenerId ? listenerOf(tree, listenerId, input) : undefined;
      await requireOfMembers(tx, input.members ?? [], scopeOf(tree));
      await requireSecrets(tx, scopeOf(tree), poolSecrets(input), ctx.clock.now());
      const id = rows.addPool(input);
      return {
        task: 'create_lbpool',
        subject: { id, name: input.name },
        ...(listener ? { updates: { listener: [{ id: listener.id, set: { default_pool_id: id } }] } } : {}),
      };
    };
    return listenerId
      ? this.#parts.changePart(ctx, { kind: 'listener', id: listenerId }, decide)
      : this.#parts.change(ctx, loadBalancerId ?? '', decide);
  }

  /** @throws Invalid with every faulty field, NotFound */
  async update(ctx: RegionContext, id: string, input: UpdatePool): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'pool', id }, async ({ tree, rows, tx }) => {
      const row = partOf(tree.pools, id, 'Pool');
      const changed = checkChange(row, input, tree);
      const set = changedColumns(row, input);
      await requireSecrets(tx, scopeOf(tree), poolSecrets(namedSecrets(row, set)), ctx.clock.now());
      await requireOfMembers(tx, input.members ?? [], scopeOf(tree));
      const members = replacedMembers(tree, rows, row, input);
      const monitor = replacedMonitor(rows, row, changed);
      const patches: Patches = {
        pool: Object.keys(set).length === 0 ? [] : [{ id: row.id, set }],
        member: members.patches,
        monitor: monitor.patches,
      };
      const removals = [...members.removals, ...monitor.removals];
      return {
        task: 'patch_lbpool',
        subject: { id: row.id, name: input.name ?? row.name },
        updates: patches,
        removals,
        created: { members: members.patches.map((patch) => patch.id) },
      };
    });
  }

  /** Listeners whose default pool it was have none then.
   *  @throws NotFound, Conflict when an L7 policy needs it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'pool', id }, ({ tree }) => {
      const row = partOf(tree.pools, id, 'Pool');
      refuseRedirectedPool(row.id, tree);
      const listeners = tree.listeners.filter((listener) => listener.default_pool_id === row.id);
      return {
        task: 'delete_lbpool',
        subject: { id: row.id, name: row.name },
        updates: { listener: listeners.map((each) => ({ id: each.id, set: { default_pool_id: null } })) },
        removals: [{ kind: 'pool', id: row.id }],
      };
    });
  }
}

interface Patches {
  readonly pool: readonly PartPatch<'pool'>[];
  readonly member: readonly PartPatch<'member'>[];
  readonly monitor: readonly PartPatch<'monitor'>[];
}

interface PartChanges<Kind extends PartKind> {
  readonly patches: readonly PartPatch<Kind>[];
  readonly removals: readonly PartRef[];
}

const UNCHANGED = { patches: [], removals: [] } as const;

/** The listener that gets the pool. */
function listenerOf(tree: LoadBalancerTree, id: string, input: CreatePool): ListenerRow {
  const listener = partOf(tree.listeners, id, 'Listener');
  const { load_balancer_id: loadBalancerId } = input;
  if (loadBalancerId && loadBalancerId.toLowerCase() !== tree.id) {
    throw new NotFound(`Listener ${id} was not found on load balancer ${loadBalancerId}`);
  }
  const rule = poolRule(input.protocol, listener.protocol);
  if (rule) throw new Invalid({ protocol: [rule] });
  if (listener.default_pool_id !== null) {
    throw new Conflict(
      `Listener ${listener.id} (${listener.name}) has the default pool ${listener.default_pool_id}`,
    );
  }
  return listener;
}

const lower = (id: string | null | undefined) => id?.toLowerCase() ?? id;

/** Columns that a change has as it is given. */
const GIVEN = [
  'name',
  'admin_state_up',
  'protocol',
  'lb_algorithm',
  'timeout_client_data',
  'timeout_member_connect',
  'timeout_member_data',
  'timeout_tunnel',
  'member_http_version',
] as const;

function changedColumns(row: PoolRow, input: UpdatePool): Changes<'pool'> {
  const { session_persistence: persistence } = input;
  return differing('pool', row, {
    session_persistence: persistence === undefined ? undefined : storedPersistence(persistence),
    secret_id: lower(input.secret_id),
    ca_secret_id: lower(input.ca_secret_id),
    crl_secret_id: lower(input.crl_secret_id),
    ...pick(input, GIVEN),
  });
}

/** Secrets that must be fit for something new; a revocation list is judged together with its authorities. */
function namedSecrets(row: PoolRow, set: Changes<'pool'>) {
  const after = { ...row, ...set };
  return {
    ...('secret_id' in set ? { secret_id: after.secret_id } : {}),
    ...('ca_secret_id' in set || 'crl_secret_id' in set
      ? { ca_secret_id: after.ca_secret_id, crl_secret_id: after.crl_secret_id }
      : {}),
  };
}

function replacedMembers(
  tree: LoadBalancerTree,
  rows: NewRows,
  row: PoolRow,
  { members }: UpdatePool,
): PartChanges<'member'> {
  if (members == null) return UNCHANGED;
  return replaceMembers(tree, rows, row.id, members);
}

function replacedMonitor(
  rows: NewRows,
  row: PoolRow,
  { monitor, requested }: ChangedPool,
): PartChanges<'monitor'> {
  if (requested === undefined) return UNCHANGED;
  if (requested === null)
    return { patches: [], removals: monitor ? [{ kind: 'monitor', id: monitor.id }] : [] };
  if (!monitor) {
    rows.addMonitor(row.id, requested);
    return UNCHANGED;
  }
  const set = differing('monitor', monitor, monitorColumns(requested));
  return { patches: Object.keys(set).length === 0 ? [] : [{ id: monitor.id, set }], removals: [] };
}
