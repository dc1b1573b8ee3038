import {
  certificateOf,
  clientAuthorities,
  listenerSecretIds,
  memberTls,
  type OpenedSecrets,
  opened,
  poolSecretIds,
} from './desired-tls.ts';
import { flavorOf } from './flavors.ts';
import { desiredPolicies } from './l7-policies/desired.ts';
import {
  type HealthMonitorRow,
  type ListenerRow,
  type LoadBalancerTree,
  type MemberRow,
  type PoolRow,
  type Vips,
  withoutDeleted,
} from './model.ts';
import type {
  DesiredAccessLog,
  DesiredHealthMonitor,
  DesiredListener,
  DesiredLoadBalancer,
  DesiredMember,
  DesiredPool,
  Timeouts,
} from './port.ts';

/** What the data plane shall serve, from what the database says. A listener whose certificate is not among the
 *  opened secrets is left out, and a pool whose TLS is not is switched off: nothing is served with less. */
export function desiredOf(
  all: LoadBalancerTree,
  [vipAddress, ...additional]: Vips,
  secrets: OpenedSecrets,
): DesiredLoadBalancer {
  const tree = withoutDeleted(all);
  const flavor = flavorOf(tree.flavor);
  return {
    id: tree.id,
    version: tree.version,
    adminStateUp: tree.admin_state_up && !tree.data_planes_stopped,
    vipAddress,
    vipSubnetId: tree.vip_subnet_id,
    additionalSubnetId: tree.additional_subnet_id,
    extraAddresses: [...additional, ...tree.floating_addresses],
    flavor: { name: flavor.name, vcpus: flavor.vcpus, ramMiB: flavor.ramMiB },
    listeners: tree.listeners
      .filter((listener) => opened(listenerSecretIds(listener), secrets))
      .map((listener) => desiredListener(listener, tree, secrets)),
    pools: tree.pools.map((pool) => desiredPool(pool, tree, secrets)),
    accessLog: accessLog(tree),
  };
}

function accessLog({ logging, name, region_id: ownRegion }: LoadBalancerTree): DesiredAccessLog | null {
  if (!logging?.enabled || !logging.topic_name) return null;
  return {
    topic: logging.topic_name,
    loadBalancerName: name,
    destinationRegionId: logging.destination_region_id ?? ownRegion,
    retentionDays: logging.retention_policy?.period ?? null,
  };
}

function desiredListener(row: ListenerRow, tree: LoadBalancerTree, secrets: OpenedSecrets): DesiredListener {
  return {
    id: row.id,
    adminStateUp: row.admin_state_up,
    protocol: row.protocol,
    port: row.protocol_port,
    defaultPoolId: row.default_pool_id,
    allowedCidrs: row.allowed_cidrs,
    connectionLimit: row.connection_limit,
    timeoutsMs: timeouts(row),
    insertXForwarded: row.insert_x_forwarded,
    normalizePath: row.normalize_path,
    basicAuth: row.user_list.map((user) => ({
      username: user.username,
      encryptedPassword: user.encrypted_password,
    })),
    certificates: listenerSecretIds(row).flatMap((id) => certificateOf(id, secrets) ?? []),
    clientAuthorities: clientAuthorities(row, secrets),
    l7Policies: desiredPolicies(row.id, tree),
  };
}

function desiredPool(row: PoolRow, tree: LoadBalancerTree, secrets: OpenedSecrets): DesiredPool {
  const persistence = row.session_persistence;
  const monitor = tree.monitors.find(({ pool_id }) => pool_id === row.id);
  return {
    id: row.id,
    adminStateUp: row.admin_state_up && opened(poolSecretIds(row), secrets),
    protocol: row.protocol,
    algorithm: row.lb_algorithm,
    timeoutsMs: timeouts(row),
    tunnelMs: row.timeout_tunnel,
    memberHttpVersion: row.member_http_version,
    sessionPersistence: persistence && {
      type: persistence.type,
      cookieName: persistence.cookie_name,
      persistenceTimeout: persistence.persistence_timeout,
      persistenceGranularity: persistence.persistence_granularity,
    },
    members: tree.members.filter(({ pool_id }) => pool_id === row.id).map(desiredMember),
    healthMonitor: monitor ? desiredMonitor(monitor) : null,
    tls: memberTls(row, secrets),
  };
}

function desiredMember(row: MemberRow): DesiredMember {
  return {
    id: row.id,
    subnetId: row.subnet_id,
    address: row.address,
    port: row.protocol_port,
    adminStateUp: row.admin_state_up,
    backup: row.backup,
    weight: row.weight,
    monitorAddress: row.monitor_address,
    monitorPort: row.monitor_port,
  };
}

function desiredMonitor(row: HealthMonitorRow): DesiredHealthMonitor {
  return {
    id: row.id,
    adminStateUp: row.admin_state_up,
    type: row.type,
    delay: row.delay,
    timeout: row.timeout,
    maxRetries: row.max_retries,
    maxRetriesDown: row.max_retries_down,
    httpMethod: row.http_method,
    httpVersion: row.http_version,
    urlPath: row.url_path,
    domainName: row.domain_name,
    expectedCodes: row.expected_codes,
  };
}

function timeouts(row: ListenerRow | PoolRow): Timeouts {
  return {
    clientData: row.timeout_client_data,
    memberConnect: row.timeout_member_connect,
    memberData: row.timeout_member_data,
  };
}
