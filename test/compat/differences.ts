/** Fields in which served calls differ from the newest public description, and why. The test says when one of them
 *  does not differ any more. Where a call is served, all that is not named here is as it is described. */
export interface Difference {
  readonly calls: readonly string[];
  /** `?limit` of a query, `body.rules[].direction`, `response.results[].type`. */
  readonly fields: readonly string[];
  readonly is: Kind;
  readonly reason: string;
}

/** What is different of a field, on our side. */
type Kind =
  | { readonly kind: 'missing' | 'required' | 'no null' | 'any fields' }
  | { readonly kind: 'default'; readonly served: unknown }
  | { readonly kind: 'longest'; readonly served: number }
  /** Some of the values that are not there. */
  | { readonly kind: 'fewer values'; readonly such: readonly string[] };

const MISSING = { kind: 'missing' } as const;
const REQUIRED = { kind: 'required' } as const;
const NO_NULL = { kind: 'no null' } as const;
const ANY = { kind: 'any fields' } as const;

const INSTANCE = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}';
const GROUP = '/cloud/v1/securitygroups/{project_id}/{region_id}';
const KINDS = {
  kind: 'fewer values',
  such: ['ai_cluster', 'baremetal', 'egress_traffic', 'file_share'],
} as const;
const COSTS = 'POST /cloud/v1/cost_report/resources';
const TOTALS = 'POST /cloud/v1/cost_report/totals';
const USAGE = 'POST /cloud/v1/usage_report';

export const DIFFERENCES: readonly Difference[] = [
  {
    calls: [COSTS],
    fields: ['file_share_type', 'instance_name', 'instance_type', 'schedule_id', 'vm_id'].map(
      (field) => `response.results[].${field}`,
    ),
    is: MISSING,
    reason: 'They belong to file shares, traffic and backups, which are not metered.',
  },
  {
    calls: [USAGE],
    fields: ['file_share_type', 'instance_name', 'instance_type', 'schedule_id', 'vm_id'].map(
      (field) => `response.resources[].${field}`,
    ),
    is: MISSING,
    reason: 'They belong to file shares, traffic and backups, which are not metered.',
  },
  {
    calls: [TOTALS],
    fields: ['file_share_type', 'instance_type', 'last_size'].map((field) => `response.results[].${field}`),
    is: MISSING,
    reason: 'They belong to file shares, traffic and backups, which are not metered.',
  },
  {
    calls: [COSTS, TOTALS],
    fields: ['response.results[].type'],
    is: KINDS,
    reason: 'There are no other resources with a price.',
  },
  {
    calls: [USAGE],
    fields: ['response.resources[].type', 'response.totals[].type'],
    is: KINDS,
    reason: 'There are no other resources with a price.',
  },
  {
    calls: ['GET /cloud/v1/instances/{project_id}/{region_id}'],
    fields: ['?include_ai', '?include_baremetal'],
    is: { kind: 'default', served: undefined },
    reason: 'Without the parameter the answer is the same: there are none.',
  },
  {
    calls: [
      'GET /cloud/v1/instances/{project_id}/{region_id}',
      `GET ${GROUP}/{group_id}/instances`,
      'GET /cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}/instances',
      'GET /cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}/pools/{pool_name}/instances',
    ],
    fields: ['response.results[].blackhole_ports[].AlarmState'],
    is: { kind: 'fewer values', such: ['mitigating', 'STARTING'] },
    reason: 'No address is ever sent into nothing, so that the list is empty.',
  },
  {
    calls: [`GET ${INSTANCE}`, `PATCH ${INSTANCE}`],
    fields: ['response.blackhole_ports[].AlarmState'],
    is: { kind: 'fewer values', such: ['mitigating', 'STARTING'] },
    reason: 'No address is ever sent into nothing, so that the list is empty.',
  },
  {
    calls: [
      `GET ${INSTANCE}/available_flavors`,
      'POST /cloud/v1/instances/{project_id}/{region_id}/available_flavors',
    ],
    fields: ['response.results[].capacity', 'response.results[].reserved_capacity'],
    is: MISSING,
    reason: 'Flavors have no stock of their own, and nothing is reserved.',
  },
  {
    calls: ['POST /cloud/v2/instances/{project_id}/{region_id}/check_limits'],
    fields: ['interface_name', 'ip_address', 'port_group'].map((field) => `body.interfaces[].${field}`),
    is: MISSING,
    reason: 'Quotas do not depend on them; they are ignored.',
  },
  {
    calls: ['POST /cloud/v2/pricing/{project_id}/{region_id}/instances'],
    fields: [
      'interface_name',
      'ip_address',
      'ip_family',
      'network_id',
      'port_id',
      'security_groups',
      'subnet_id',
      'floating_ip.existing_floating_id',
    ].map((field) => `body.interfaces[].${field}`),
    is: MISSING,
    reason: 'The price does not depend on them; they are ignored.',
  },
  {
    calls: ['POST /cloud/v2/pricing/{project_id}/{region_id}/loadbalancers'],
    fields: ['body.floating_ip.existing_floating_id', 'body.vip_ip_family'],
    is: MISSING,
    reason: 'The price does not depend on them; they are ignored.',
  },
  {
    calls: ['POST /cloud/v2/pricing/{project_id}/{region_id}/instances'],
    fields: ['response.per_gb', 'response.per_hour.volumes', 'response.per_month.volumes'],
    is: ANY,
    reason: 'Traffic has no price, and volumes are those of the types that were asked for.',
  },
  {
    calls: ['powercycle', 'reboot', 'resume', 'start', 'stop', 'suspend'].map(
      (action) => `POST ${INSTANCE}/${action}`,
    ),
    fields: ['response.count', 'response.results'],
    is: MISSING,
    reason:
      'The instance is answered, as SPEC and clients have it; lists are described for groups of instances.',
  },
  {
    calls: ['POST', 'PUT'].map(
      (method) => `${method} /cloud/v2/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/metadata`,
    ),
    fields: ['body'],
    is: ANY,
    reason: 'Tags have any names.',
  },
  {
    calls: ['GET /cloud/v1/projects', 'GET /cloud/v1/regions', 'GET /cloud/v1/tasks'],
    fields: ['?limit'],
    is: { kind: 'default', served: 1000 },
    reason: 'All lists have the same default: nobody misses what is on a second page.',
  },
  {
    calls: ['GET /cloud/v1/tasks', 'GET /cloud/v1/user_actions'],
    fields: ['?sorting'],
    is: { kind: 'default', served: undefined },
    reason: 'The newest come first without it, unless `order_by` says otherwise.',
  },
  {
    calls: ['POST /cloud/v1/projects', 'PUT /cloud/v1/projects/{project_id}'],
    fields: ['body.description'],
    is: { kind: 'longest', served: 1024 },
    reason: 'The contract of projects has 1024.',
  },
  {
    calls: ['PATCH /cloud/v2/security_groups/{project_id}/{region_id}/{group_id}'],
    fields: ['body.rules[].direction'],
    is: REQUIRED,
    reason: 'A rule without a direction says nothing.',
  },
  {
    calls: [`PATCH ${GROUP}/{group_id}`],
    fields: ['body.changed_rules[].direction', 'body.changed_rules[].security_group_rule_id'],
    is: REQUIRED,
    reason: 'Each kind of change needs one of them; another change leaves it out.',
  },
  {
    calls: [`PATCH ${GROUP}/{group_id}`],
    fields: ['ethertype', 'remote_group_id', 'security_group_rule_id'].map(
      (field) => `body.changed_rules[].${field}`,
    ),
    is: NO_NULL,
    reason: 'What is not meant is left out.',
  },
  {
    calls: [`POST ${GROUP}`],
    fields: ['body.security_group.description'],
    is: NO_NULL,
    reason: 'What is not meant is left out.',
  },
  {
    calls: ['PUT /cloud/v1/securitygrouprules/{project_id}/{region_id}/{rule_id}'],
    fields: ['body.ethertype', 'body.remote_group_id'],
    is: NO_NULL,
    reason: 'What is not meant is left out.',
  },
  {
    calls: ['PUT /cloud/v1/securitygrouprules/{project_id}/{region_id}/{rule_id}'],
    fields: ['body.security_group_id'],
    is: MISSING,
    reason: 'A rule stays in its group; the field is ignored.',
  },
  {
    calls: ['GET /cloud/v1/user_actions'],
    fields: ['?api_group[]', 'response.results[].api_group'],
    is: { kind: 'fewer values', such: ['ai_cluster', 'caas_container'] },
    reason: 'There is nothing of these kinds.',
  },
  {
    calls: ['POST /storage/provisioning/v1/key', 'PUT /storage/provisioning/v1/key'],
    fields: ['body.key', 'body.name'],
    is: REQUIRED,
    reason: 'There is no key without them.',
  },
  {
    calls: ['PUT /storage/provisioning/v1/storage', 'POST /storage/provisioning/v2/storage'],
    fields: ['body.name'],
    is: { kind: 'longest', served: 63 },
    reason: 'Names are those of `/storage/v4`.',
  },
  {
    calls: ['POST /storage/provisioning/v1/storage/{storage_id}/s3/bucket/{bucket_name}/lifecycle'],
    fields: ['body.expiration_days'],
    is: REQUIRED,
    reason: 'Without it nothing would be set.',
  },
];

/** @returns a table for docs/compatibility.md */
export function renderDifferences(): string {
  const code = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(', ');
  const rows = DIFFERENCES.map(
    ({ calls, fields, is, reason }) => `| ${reason} | ${inWords(is)} | ${code(fields)} | ${code(calls)} |`,
  );
  return ['| why | what | fields | calls |', '|---|---|---|---|', ...rows].join('\n');
}

function inWords(is: Kind): string {
  switch (is.kind) {
    case 'missing':
      return 'not there';
    case 'required':
      return 'required';
    case 'no null':
      return 'not null';
    case 'any fields':
      return 'any names';
    case 'default':
      return is.served === undefined ? 'no default' : `default ${is.served}`;
    case 'longest':
      return `${is.served} characters at most`;
    case 'fewer values':
      return 'fewer values';
  }
}
