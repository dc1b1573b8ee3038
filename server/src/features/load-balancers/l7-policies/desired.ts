import type { LoadBalancerTree } from '../model.ts';
import type { DesiredL7Policy } from '../port.ts';
import { inOrder } from './positions.ts';

/** The L7 policies of a listener in the order in which they are tried. */
export function desiredPolicies(listenerId: string, tree: LoadBalancerTree): DesiredL7Policy[] {
  return inOrder(tree.policies.filter((policy) => policy.listener_id === listenerId)).map((policy) => ({
    id: policy.id,
    action: policy.action,
    redirectUrl: policy.redirect_url,
    redirectPrefix: policy.redirect_prefix,
    redirectPoolId: policy.redirect_pool_id,
    redirectHttpCode: policy.redirect_http_code,
    rules: tree.rules
      .filter(({ policy_id }) => policy_id === policy.id)
      .map(({ id, type, compare_type, key, value, invert }) => ({
        id,
        type,
        compareType: compare_type,
        key,
        value,
        invert,
      })),
  }));
}
