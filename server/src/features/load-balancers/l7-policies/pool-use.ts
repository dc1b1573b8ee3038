import { Conflict } from '../../../kernel/errors.ts';
import type { LoadBalancerTree } from '../model.ts';

/** A pool stays as long as an L7 policy sends requests to it.
 *  @param exceptListener whose policies go together with the pool
 *  @throws Conflict naming the policy */
export function refuseRedirectedPool(poolId: string, tree: LoadBalancerTree, exceptListener?: string): void {
  const user = tree.policies.find(
    (policy) => policy.redirect_pool_id === poolId && policy.listener_id !== exceptListener,
  );
  if (!user) return;
  const name = user.name === '' ? user.id : `${user.id} (${user.name})`;
  throw new Conflict(
    `Pool ${poolId} is used by L7 policy ${name} of listener ${user.listener_id}; remove it there first`,
  );
}
