import { Type } from '@sinclair/typebox';
import { IpAddress, ListOf, Nullable, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import { Tag } from '../../platform/http/tags.ts';
import { RULE_TYPES } from './l7-policies/rule-schema.ts';
import { POLICY_ACTIONS } from './l7-policies/schema.ts';
import { LastCheck, OperatingStatus, ProvisioningStatus } from './schema-parts.ts';

/** How a load balancer and all its parts are, as a tree. */

const statuses = () => ({
  operating_status: OperatingStatus(),
  provisioning_status: ProvisioningStatus(),
});

const MonitorStatus = Type.Object({
  id: Uuid(),
  type: StringEnum(['HTTP', 'HTTPS', 'K8S', 'PING', 'TCP', 'TLS-HELLO', 'UDP-CONNECT']),
  ...statuses(),
});

const MemberStatus = Type.Object({
  id: Uuid(),
  address: IpAddress(),
  protocol_port: Type.Integer({ exclusiveMinimum: 0, exclusiveMaximum: 65536 }),
  ...statuses(),
  last_check: LastCheck(),
});

const PoolStatus = Type.Object({
  id: Uuid(),
  name: Type.String(),
  ...statuses(),
  members: Type.Array(MemberStatus),
  health_monitor: Nullable(MonitorStatus, { default: null }),
});

const L7RuleStatus = Type.Object({ id: Uuid(), type: StringEnum(RULE_TYPES), ...statuses() });

const L7PolicyStatus = Type.Object({
  id: Uuid(),
  name: Type.String(),
  action: StringEnum(POLICY_ACTIONS),
  ...statuses(),
  rules: Type.Array(L7RuleStatus),
});

const ListenerStatus = Type.Object({
  id: Uuid(),
  name: Type.String(),
  ...statuses(),
  pools: Type.Array(PoolStatus),
  l7policies: Type.Array(L7PolicyStatus),
});

export const LoadBalancerStatus = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    ...statuses(),
    tags: Type.Array(Tag),
    listeners: Type.Array(ListenerStatus),
  },
  { $id: 'LoadBalancerStatus' },
);
export const LoadBalancerStatusList = ListOf(LoadBalancerStatus, 'LoadBalancerStatusList');
