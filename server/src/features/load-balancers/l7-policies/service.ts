import { Faults } from '../../../kernel/faults.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import { poolRule } from '../listeners/rules.ts';
import type { L7PolicyRow, ListenerRow, LoadBalancerTree } from '../model.ts';
import { differing, type PartService, partOf } from '../parts/service.ts';
import type { Changes } from '../parts/store.ts';
import { closeGap, type Move, positionAgain, positionNew } from './positions.ts';
import { checkPolicy, HAS_POLICIES } from './rules.ts';
import type { CreatePolicy, PolicyTarget, UpdatePolicy } from './schema.ts';

/** Commands on L7 policies: one transaction and one task each. */
export class L7PolicyService {
  readonly #parts: PartService;

  constructor(parts: PartService) {
    this.#parts = parts;
  }

  /** @throws Invalid with every faulty field, NotFound for what the body names */
  async create(ctx: RegionContext, input: CreatePolicy): Promise<TaskRef> {
    const faults = checked(input);
    const listenerId = input.listener_id.toLowerCase();
    return this.#parts.changePart(ctx, { kind: 'listener', id: listenerId }, ({ tree, rows }) => {
      const listener = partOf(tree.listeners, listenerId, 'Listener');
      refuseMisfit(input, listener, tree, faults());
      const { position, moves } = positionNew(policiesOf(tree, listenerId), input.position);
      const { name = '', tags = [] } = input;
      const id = rows.addPolicy(listenerId, { name, tags, position, ...targetColumns(input) });
      return { task: 'create_l7policy', subject: { id, name }, updates: { policy: moves.map(patchOf) } };
    });
  }

  /** @throws Invalid with every faulty field, NotFound */
  async update(ctx: RegionContext, policyId: string, input: UpdatePolicy): Promise<TaskRef> {
    const faults = checked(input);
    const id = policyId.toLowerCase();
    return this.#parts.changePart(ctx, { kind: 'policy', id }, ({ tree }) => {
      const row = partOf(tree.policies, id, 'L7 policy');
      const listener = partOf(tree.listeners, row.listener_id, 'Listener');
      refuseMisfit(input, listener, tree, faults());
      const { name, tags } = input;
      const set = differing('policy', row, { name, tags, ...targetColumns(input) });
      const siblings = policiesOf(tree, row.listener_id);
      const position = Math.min(input.position ?? row.position, siblings.length);
      const moves = position === row.position ? [] : positionAgain(siblings, id, position);
      const updates = updatesOf(id, set, moves);
      return {
        task: 'patch_l7policy',
        subject: { id, name: name ?? row.name },
        updates: { policy: updates },
      };
    });
  }

  /** Its rules go with it, and those behind it move up.
   *  @throws NotFound */
  async delete(ctx: RegionContext, policyId: string): Promise<TaskRef> {
    const id = policyId.toLowerCase();
    return this.#parts.changePart(ctx, { kind: 'policy', id }, ({ tree }) => {
      const row = partOf(tree.policies, id, 'L7 policy');
      return {
        task: 'delete_l7policy',
        subject: { id, name: row.name },
        updates: { policy: closeGap(policiesOf(tree, row.listener_id), id).map(patchOf) },
        removals: [{ kind: 'policy', id }],
      };
    });
  }
}

/** What can be said of the body alone. The check goes on when the load balancer is known, each time from here. */
function checked(input: UpdatePolicy): () => Faults {
  return () => {
    const faults = new Faults();
    checkPolicy(input, faults);
    return faults;
  };
}

/** @throws NotFound for a pool that the load balancer does not have, Invalid with all faults */
function refuseMisfit(
  input: UpdatePolicy,
  listener: ListenerRow,
  tree: LoadBalancerTree,
  faults: Faults,
): void {
  if (!HAS_POLICIES.has(listener.protocol)) {
    const known = [...HAS_POLICIES].join(' or ');
    faults.add('listener_id', `L7 policies are for listeners of protocol ${known}, not ${listener.protocol}`);
  } else if (input.action === 'REDIRECT_TO_POOL') {
    const pool = partOf(tree.pools, input.redirect_pool_id.toLowerCase(), 'Pool');
    const rule = poolRule(pool.protocol, listener.protocol);
    if (rule) faults.add('redirect_pool_id', `the pool's protocol ${pool.protocol} does not fit: it ${rule}`);
  }
  faults.refuse();
}

const policiesOf = (tree: LoadBalancerTree, listenerId: string): L7PolicyRow[] =>
  tree.policies.filter((policy) => policy.listener_id === listenerId);

const patchOf = ({ id, position }: Move) => ({ id, set: { position } });

/** The changes of one policy and the moves of all, each policy once. */
function updatesOf(id: string, set: Changes<'policy'>, moves: readonly Move[]) {
  const own = moves.find((move) => move.id === id);
  const all = { ...set, ...(own ? { position: own.position } : {}) };
  const others = moves.filter((move) => move !== own).map(patchOf);
  return Object.keys(all).length === 0 ? others : [{ id, set: all }, ...others];
}

const DEFAULT_CODE = 302;

/** Columns of a target; those of other actions are emptied. */
function targetColumns(input: PolicyTarget) {
  const redirects = input.action === 'REDIRECT_TO_URL' || input.action === 'REDIRECT_PREFIX';
  return {
    action: input.action,
    redirect_url: input.action === 'REDIRECT_TO_URL' ? input.redirect_url : null,
    redirect_prefix: input.action === 'REDIRECT_PREFIX' ? input.redirect_prefix : null,
    redirect_pool_id: input.action === 'REDIRECT_TO_POOL' ? input.redirect_pool_id.toLowerCase() : null,
    redirect_http_code: redirects ? (input.redirect_http_code ?? DEFAULT_CODE) : null,
  };
}
