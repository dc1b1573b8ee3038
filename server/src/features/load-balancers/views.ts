import { nullable, offsetTime } from '../../kernel/codecs.ts';
import { viewTags } from '../../platform/http/tags.ts';
import { viewCarried } from '../networking/floating-ips/index.ts';
import { flavorOf, viewFlavor } from './flavors.ts';
import type { ListedRow } from './list-store.ts';
import { viewLastCheck } from './members/reads.ts';
import type { ListenerRow, LoadBalancerTree, Logging, PoolRow } from './model.ts';

/** What of a load balancer is shown. Field by field: lists of hundreds are asked for often, and objects put together
 *  from lists of names take longer to make. */
export function viewLoadBalancer(row: ListedRow, region: string) {
  return {
    id: row.id,
    project_id: row.project_id,
    region_id: row.region_id,
    region,
    name: row.name,
    operating_status: row.operating_status,
    provisioning_status: row.provisioning_status,
    admin_state_up: row.admin_state_up,
    created_at: offsetTime(row.created_at),
    updated_at: nullable(offsetTime)(row.updated_at),
    creator_task_id: row.creator_task_id,
    task_id: row.task_id,
    vip_address: row.vip_address,
    vip_fqdn: null,
    vip_ip_family: row.vip_ip_family,
    vip_port_id: row.vip_port_id,
    preferred_connectivity: row.preferred_connectivity,
    additional_vips: additionalVips(row),
    vrrp_ips: viewVrrp(row),
    floating_ips: viewCarried(row.floating_ips, { id: row.vip_port_id, address: row.vip_address }, region),
    listeners: row.listener_ids === null ? [] : row.listener_ids.split(',').map((id) => ({ id })),
    flavor: row.flavor === null ? null : viewFlavor(flavorOf(row.flavor)),
    logging: viewLogging(row.logging ?? NO_LOGGING),
    stats: row.stats ?? null,
    ddos_profile: row.ddos_profile ?? null,
    tags_v2: viewTags(row.tags),
    metadata: viewTags(row.tags),
  };
}

function additionalVips({ additional_address: ip_address, additional_subnet_id: subnet_id }: ListedRow) {
  return ip_address === null || subnet_id === null ? [] : [{ ip_address, subnet_id }];
}

/** One process serves the addresses: each stands alone. */
function viewVrrp(row: ListedRow) {
  const { vip_address, shown_subnet_id: subnet_id } = row;
  const first = vip_address === null ? [] : [{ ip_address: vip_address, subnet_id }];
  return [...first, ...additionalVips(row)].map((vip) => ({ ...vip, role: 'STANDALONE' }));
}

const NO_LOGGING: Logging = {
  destination_region_id: null,
  enabled: false,
  retention_policy: null,
  topic_name: null,
};

function viewLogging(logging: Logging) {
  return {
    destination_region_id: logging.destination_region_id,
    enabled: logging.enabled,
    retention_policy: logging.retention_policy && { period: logging.retention_policy.period },
    topic_name: logging.topic_name,
  };
}

/** Provisioning and operating status of a load balancer and of each of its parts. */
export function viewStatus(tree: LoadBalancerTree) {
  return {
    id: tree.id,
    name: tree.name,
    ...statuses(tree),
    tags: viewTags(tree.tags),
    listeners: tree.listeners.map((listener) => viewListenerStatus(listener, tree)),
  };
}

/** A listener's pools are its default one and those that its L7 policies choose. */
function viewListenerStatus(listener: ListenerRow, tree: LoadBalancerTree) {
  const policies = tree.policies.filter(({ listener_id }) => listener_id === listener.id);
  const used = new Set([listener.default_pool_id, ...policies.map((policy) => policy.redirect_pool_id)]);
  return {
    id: listener.id,
    name: listener.name,
    ...statuses(listener),
    pools: tree.pools.filter((pool) => used.has(pool.id)).map((pool) => viewPoolStatus(pool, tree)),
    l7policies: policies.map((policy) => ({
      id: policy.id,
      name: policy.name,
      action: policy.action,
      ...statuses(policy),
      rules: tree.rules
        .filter(({ policy_id }) => policy_id === policy.id)
        .map((rule) => ({ id: rule.id, type: rule.type, ...statuses(rule) })),
    })),
  };
}

function viewPoolStatus(pool: PoolRow, tree: LoadBalancerTree) {
  const monitor = tree.monitors.find(({ pool_id }) => pool_id === pool.id);
  return {
    id: pool.id,
    name: pool.name,
    ...statuses(pool),
    members: tree.members
      .filter(({ pool_id }) => pool_id === pool.id)
      .map((member) => ({
        id: member.id,
        address: member.address,
        protocol_port: member.protocol_port,
        ...statuses(member),
        last_check: viewLastCheck(member.last_check),
      })),
    health_monitor: monitor ? { id: monitor.id, type: monitor.type, ...statuses(monitor) } : null,
  };
}

function statuses(row: Pick<LoadBalancerTree, 'operating_status' | 'provisioning_status'>) {
  return { operating_status: row.operating_status, provisioning_status: row.provisioning_status };
}
