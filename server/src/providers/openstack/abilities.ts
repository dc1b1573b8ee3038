import type {
  DesiredL7Rule,
  DesiredListener,
  DesiredLoadBalancer,
  DesiredPool,
  UnservablePart,
} from '../../features/load-balancers/port.ts';
import { parseRange, rangeContains } from '../../kernel/ip.ts';
import type { OpenStackSettings } from './settings.ts';
import { asksClients, endsTls } from './tls.ts';

/** What a region's driver cannot do, said before anything is accepted. Nothing is served with less than was asked
 *  for. */

/** The driver that balances connections alone. */
export const OVN = 'ovn';

/** What listeners have that nobody limits. */
const ANYBODYS_LIMIT = 100_000;

const NO_BARBICAN = 'needs a key manager (Barbican), which this region has not';
const CONNECTIONS_ALONE = 'is not available: OVN balances connections alone';

export function unservable(
  desired: DesiredLoadBalancer,
  settings: OpenStackSettings,
): readonly UnservablePart[] {
  const { listeners, pools, accessLog, flavor } = desired;
  const flavors = settings.load_balancers?.flavors;
  const offered = Object.keys(flavors ?? {});
  return [
    ...(flavors && !offered.includes(flavor.name)
      ? [part('loadBalancer', '', 'flavor', `must be one of: ${offered.join(', ')}`)]
      : []),
    ...(accessLog
      ? [
          part(
            'loadBalancer',
            '',
            'logging',
            'is not available: Octavia has no access logs of load balancers',
          ),
        ]
      : []),
    ...listeners.flatMap((listener) => [
      ...ofListener(listener, hasKeyManager(settings)),
      ...(isOvn(settings) ? ofOvnListener(listener) : []),
    ]),
    ...pools.flatMap((pool) => [
      ...ofPool(pool, hasKeyManager(settings)),
      ...(isOvn(settings) ? ofOvnPool(pool, settings, desired) : []),
    ]),
  ];
}

const isOvn = ({ load_balancers: set }: OpenStackSettings) => set?.provider === OVN;
const hasKeyManager = ({ load_balancers: set }: OpenStackSettings) => set?.key_manager === true;

const part = (kind: UnservablePart['kind'], id: string, field: string, reason: string): UnservablePart => ({
  kind,
  id,
  field,
  reason,
});

function ofListener(listener: DesiredListener, hasSecrets: boolean): UnservablePart[] {
  const refuse = (is: boolean, field: string, reason: string) =>
    is ? [part('listener', listener.id, field, reason)] : [];
  const paths = listener.l7Policies.some(({ rules }) =>
    rules.some(({ type }) => type === 'PATH' || type === 'FILE_TYPE'),
  );
  return [
    ...refuse(
      endsTls(listener) && !hasSecrets,
      listener.protocol === 'PROMETHEUS' ? 'secret_id' : 'protocol',
      NO_BARBICAN,
    ),
    ...refuse(
      endsTls(listener) && hasSecrets && asksClients(listener) && listener.clientAuthorities === null,
      'sni_secret_id',
      'must name certificates of authorities beside rules about certificates of clients',
    ),
    ...refuse(
      listener.l7Policies.some(({ rules }) => rules.some(asksForUntrusted)),
      'l7_policies',
      'cannot ask for certificates that are not trusted: with one of these nobody can connect in this region',
    ),
    ...refuse(listener.basicAuth.length > 0, 'user_list', 'is not available: Octavia asks for no passwords'),
    ...refuse(
      listener.normalizePath && paths,
      'normalize_path',
      'must be false beside rules about paths: Octavia compares paths as they were sent',
    ),
  ];
}

/** Whether it is about a client whose certificate was found to be wrong. */
const asksForUntrusted = ({ type, value, invert }: DesiredL7Rule) =>
  type === 'SSL_VERIFY_RESULT' && (value === '0') === invert;

function ofPool(pool: DesiredPool, hasSecrets: boolean): UnservablePart[] {
  const refuse = (is: boolean, field: string, reason: string) =>
    is ? [part('pool', pool.id, field, reason)] : [];
  const { memberConnect, memberData, clientData } = pool.timeoutsMs;
  return [
    ...refuse(pool.tls !== null && !hasSecrets, 'ca_secret_id', NO_BARBICAN),
    ...refuse(
      hasSecrets && pool.tls !== null && pool.tls.crl !== null && pool.tls.caBundle === null,
      'crl_secret_id',
      'needs a ca_secret_id: Octavia verifies nobody without authorities',
    ),
    ...refuse(
      pool.memberHttpVersion === '2' && pool.tls === null,
      'member_http_version',
      'must be 1.1: Octavia speaks HTTP/2 to members by TLS alone',
    ),
    ...refuse(pool.tunnelMs !== null, 'timeout_tunnel', 'is not available: Octavia has none'),
    ...refuse(
      memberConnect !== null,
      'timeout_member_connect',
      'is the listener’s in this region: set it there',
    ),
    ...refuse(memberData !== null, 'timeout_member_data', 'is the listener’s in this region: set it there'),
    ...refuse(clientData !== null, 'timeout_client_data', 'is the listener’s in this region: set it there'),
    ...refuse(
      pool.healthMonitor?.type === 'K8S',
      'healthmonitor.type',
      'must be another one: ask for HTTP with url_path /healthz',
    ),
  ];
}

function ofOvnListener(listener: DesiredListener): UnservablePart[] {
  const refuse = (is: boolean, field: string, reason: string) =>
    is ? [part('listener', listener.id, field, reason)] : [];
  return [
    ...refuse(
      listener.protocol !== 'TCP' && listener.protocol !== 'UDP',
      'protocol',
      'must be TCP or UDP: OVN balances connections alone',
    ),
    ...refuse(
      listener.allowedCidrs !== null && listener.allowedCidrs.length > 0,
      'allowed_cidrs',
      'is not available: OVN lets everybody connect',
    ),
    ...refuse(
      listener.connectionLimit !== -1 && listener.connectionLimit !== ANYBODYS_LIMIT,
      'connection_limit',
      'must be -1: OVN has no limit',
    ),
    ...refuse(listener.l7Policies.length > 0, 'l7_policies', 'are not available: OVN does not read requests'),
  ];
}

function ofOvnPool(
  pool: DesiredPool,
  settings: OpenStackSettings,
  { vipAddress, vipSubnetId }: Pick<DesiredLoadBalancer, 'vipAddress' | 'vipSubnetId'>,
): UnservablePart[] {
  const refuse = (is: boolean, field: string, reason: string) =>
    is ? [part('pool', pool.id, field, reason)] : [];
  const { healthMonitor: monitor, sessionPersistence: persistence } = pool;
  return [
    ...refuse(
      pool.protocol !== 'TCP' && pool.protocol !== 'UDP',
      'protocol',
      'must be TCP or UDP: OVN balances connections alone',
    ),
    ...refuse(pool.tls !== null, 'ca_secret_id', CONNECTIONS_ALONE),
    ...refuse(
      pool.algorithm !== 'SOURCE_IP',
      'lb_algorithm',
      'must be SOURCE_IP: OVN chooses members by the address of the client',
    ),
    ...refuse(
      persistence !== null && persistence.type !== 'SOURCE_IP',
      'session_persistence.type',
      'must be SOURCE_IP: OVN reads no cookies',
    ),
    ...refuse(
      monitor !== null && monitor.type !== 'TCP' && monitor.type !== 'UDP-CONNECT',
      'healthmonitor.type',
      'must be TCP or UDP-CONNECT: OVN checks nothing else',
    ),
    ...pool.members.flatMap((member) =>
      // Of a project's own subnets the cloud knows, and says, which of them it cannot serve.
      ofOvnMember(member, settings, vipAddress, vipSubnetId != null || member.subnetId != null),
    ),
  ];
}

function ofOvnMember(
  member: DesiredPool['members'][number],
  settings: OpenStackSettings,
  vipAddress: string,
  isInOwnSubnet: boolean,
): UnservablePart[] {
  const refuse = (is: boolean, field: string, reason: string) =>
    is ? [part('member', member.id, field, reason)] : [];
  const known = [settings.vip, ...(settings.load_balancers?.member_subnets ?? [])];
  const isKnown = known.some(({ cidr }) => {
    const range = parseRange(cidr);
    return range !== undefined && rangeContains(range, member.address);
  });
  return [
    ...refuse(
      member.address.includes(':') !== vipAddress.includes(':'),
      'address',
      `must be of IPv${vipAddress.includes(':') ? 6 : 4}, as the load balancer is: OVN translates none`,
    ),
    ...refuse(
      !isKnown && !isInOwnSubnet,
      'address',
      `must be in ${known.map(({ cidr }) => cidr).join(' or ')}: OVN must know the subnet of each member`,
    ),
    ...refuse(member.backup, 'backup', 'must be false: OVN has no members that wait'),
    ...refuse(member.weight !== 1, 'weight', 'must be 1: OVN gives all members the same'),
    ...refuse(
      member.monitorAddress !== null || member.monitorPort !== null,
      member.monitorAddress === null ? 'monitor_port' : 'monitor_address',
      'cannot be given: OVN checks where it sends traffic',
    ),
  ];
}
