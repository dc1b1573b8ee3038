import { Conflict, NotFound } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import { pick } from '../../../platform/database/rows.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import { requireSecrets } from '../../secrets/index.ts';
import { refuseRedirectedPool } from '../l7-policies/pool-use.ts';
import type { ListenerRow, LoadBalancerTree } from '../model.ts';
import type { PartRef } from '../parts/kinds.ts';
import { differing, type PartService, partOf, scopeOf } from '../parts/service.ts';
import { listenerSecrets } from '../secret-uses.ts';
import { checkListener, poolRule } from './rules.ts';
import type { CreateListener, ListenerInput, UpdateListener } from './schema.ts';

/** Columns that a change has as it is given. */
const GIVEN = [
  'name',
  'admin_state_up',
  'allowed_cidrs',
  'connection_limit',
  'normalize_path',
  'timeout_client_data',
  'timeout_member_connect',
  'timeout_member_data',
] as const;

/** Commands on listeners: one transaction and one task each. */
export class ListenerService {
  readonly #parts: PartService;

  constructor(parts: PartService) {
    this.#parts = parts;
  }

  /** @throws Invalid with every faulty field, NotFound for what the body names, Conflict when the port is used */
  async create(ctx: RegionContext, input: CreateListener): Promise<TaskRef> {
    const faults = new Faults();
    checkListener(input, '', faults);
    faults.refuse();
    return this.#parts.change(
      ctx,
      input.load_balancer_id ?? input.loadbalancer_id ?? '',
      async ({ tree, rows, tx }) => {
        await requireSecrets(tx, scopeOf(tree), listenerSecrets(input), ctx.clock.now());
        refusePool(input, tree);
        refusePortInUse(input, tree);
        const id = rows.addListener(input, input.default_pool_id);
        return { task: 'create_lblistener', subject: { id, name: input.name } };
      },
    );
  }

  /** @throws Invalid with every faulty field, NotFound */
  async update(ctx: RegionContext, id: string, input: UpdateListener): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'listener', id }, async ({ tree, tx }) => {
      const row = partOf(tree.listeners, id, 'Listener');
      const { sni_secret_id: sni } = input;
      const set = differing('listener', row, {
        secret_id: input.secret_id?.toLowerCase() ?? input.secret_id,
        sni_secret_ids: sni === undefined ? undefined : (sni ?? []).map((each) => each.toLowerCase()),
        user_list: input.user_list === undefined ? undefined : (input.user_list ?? []),
        ...pick(input, GIVEN),
      });
      const faults = new Faults();
      checkListener({ ...inputOf({ ...row, ...set }), ...pick(input, ['allowed_cidrs']) }, '', faults);
      faults.refuse();
      // What it has already may have become unfit for anything new, and stays.
      const named = {
        ...('secret_id' in set ? { secret_id: input.secret_id } : {}),
        ...('sni_secret_ids' in set ? { sni_secret_id: sni } : {}),
      };
      await requireSecrets(tx, scopeOf(tree), listenerSecrets(named), ctx.clock.now());
      return {
        task: 'patch_lblistener',
        subject: { id, name: input.name ?? row.name },
        updates: { listener: [{ id, set }] },
      };
    });
  }

  /** @param withPool whether its default pool goes with it
   *  @throws NotFound, Conflict when that pool is needed elsewhere */
  async delete(ctx: RegionContext, id: string, withPool: boolean): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'listener', id }, ({ tree }) => {
      const row = partOf(tree.listeners, id, 'Listener');
      const removals: PartRef[] = [{ kind: 'listener', id }];
      if (withPool && row.default_pool_id !== null) {
        refuseSharedPool(row.default_pool_id, id, tree);
        removals.push({ kind: 'pool', id: row.default_pool_id });
      }
      return { task: 'delete_lblistener', subject: { id, name: row.name }, removals };
    });
  }
}

function inputOf(row: ListenerRow): ListenerInput {
  return {
    secret_id: row.secret_id ?? '',
    sni_secret_id: [...row.sni_secret_ids],
    user_list: [...row.user_list],
    ...pick(row, ['name', 'protocol', 'protocol_port', 'connection_limit', 'insert_x_forwarded']),
  };
}

function refusePool(input: CreateListener, tree: LoadBalancerTree): void {
  const id = input.default_pool_id;
  if (id === undefined) return;
  const pool = tree.pools.find((each) => each.id === id.toLowerCase());
  if (!pool) throw new NotFound(`Pool ${id} was not found on load balancer ${tree.id}`);
  const rule = poolRule(pool.protocol, input.protocol);
  if (!rule) return;
  const faults = new Faults();
  faults.add('default_pool_id', `the pool's protocol ${pool.protocol} does not fit: it ${rule}`);
  faults.refuse();
}

const transport = (protocol: string) => (protocol === 'UDP' ? 'UDP' : 'TCP');

function refusePortInUse({ protocol, protocol_port: port }: CreateListener, tree: LoadBalancerTree): void {
  const other = tree.listeners.find(
    (each) => each.protocol_port === port && transport(each.protocol) === transport(protocol),
  );
  if (other)
    throw new Conflict(`${transport(protocol)} port ${port} is used by listener ${other.id} (${other.name})`);
}

function refuseSharedPool(poolId: string, listenerId: string, tree: LoadBalancerTree): void {
  const other = tree.listeners.find((each) => each.id !== listenerId && each.default_pool_id === poolId);
  if (other)
    throw new Conflict(`Pool ${poolId} is also the default pool of listener ${other.id} (${other.name})`);
  refuseRedirectedPool(poolId, tree, listenerId);
}
