import { SPREAD_S } from './values.ts';

/** Rows of each table that a list shows: of client 1, project 1 and region 2, differing in what is sorted and filtered
 *  by. One in a hundred is rare in each way. */

export interface Rows {
  readonly table: string;
  /** As many as the API lets there be; default: any number. */
  readonly most?: number;
  /** `:n`: how many. */
  readonly statement: string;
}

/** The id of row `i` of a table, so that rows of others can name it. */
const id = (table: string, i = 'i') => `md5('${table} ' || ${i})::uuid`;
/** Newest first. */
const at = `now() - i * (${SPREAD_S} * interval '1 second' / :n)`;
const tags = `case when i % 3 = 0 then '{"team": {"value": "a", "read_only": false}}'
  when i % 100 = 5 then '{"team": {"value": "a", "read_only": false}, "rare": {"value": "a", "read_only": false}}'
  else '{}' end::jsonb`;
const series = 'from generate_series(1, :n) i';
const place = { client_id: '1', project_id: '1', region_id: '2' };
const named = { name: `'thing ' || i` };

/** @param columns expressions of `i` */
function of(
  table: string,
  columns: Readonly<Record<string, string>>,
  more: Omit<Rows, 'table' | 'statement'> = {},
): Rows {
  const names = Object.keys(columns).join(', ');
  const values = Object.values(columns).join(', ');
  return {
    table,
    ...more,
    statement: `insert into ${table} (${names}) select ${values} ${series} on conflict do nothing`,
  };
}

const both = { created_at: at, updated_at: at };
/** One network has a tenth of everything. */
const network = `case when i % 10 = 0 then ${id('networks', '1')} else ${id('networks')} end`;
const subnet = `case when i % 10 = 0 then ${id('subnets', '1')} else ${id('subnets')} end`;
const parts = { project_id: '1', region_id: '2', ...named, created_at: at };
const statuses = {
  operating_status: `case when i % 100 = 1 then 'ERROR' else 'ONLINE' end`,
  provisioning_status: `case when i % 100 = 2 then 'ERROR' else 'ACTIVE' end`,
};
const sealed = { key_id: '(select id from master_keys limit 1)', sealed: `'\\x00'` };
const address = `('10.0.0.0'::inet + i)`;
const reservedAddress = `('10.64.0.0'::inet + i)`;
/** The API lets nobody have more of some things. */
const MEMBERS = 1000;
const STORAGES = 100;

export const ROWS: readonly Rows[] = [
  of('projects', { client_id: '1', ...named, created_at: at, has_default_groups: 'true' }),
  // Else the next start would make them, one project after the other.
  {
    table: 'security_groups',
    statement: `insert into security_groups (id, project_id, region_id, client_id, name, is_default, created_at, updated_at)
      select gen_random_uuid(), p.id, r.id, p.client_id, 'default', true, p.created_at, p.created_at
        from projects p, regions r where r.provider = 'simulated' on conflict do nothing`,
  },
  of('clients', { name: `'client ' || i`, email: `'c' || i || '@example.test'`, created_at: at }),
  of(
    'users',
    { email: `'u' || i || '@example.test'`, name: `'user ' || i`, created_at: at },
    { most: MEMBERS },
  ),
  of('client_users', { client_id: '1', user_id: 'i', role: `'Engineers'`, joined_at: at }, { most: MEMBERS }),
  of(
    'role_assignments',
    { client_id: '1', user_id: 'i', project_id: '1', role: `'Observer'`, assigned_by: '1', created_at: at },
    { most: MEMBERS },
  ),
  of('sign_ins', {
    client_id: '1',
    user_id: '1',
    at,
    ip: `'192.0.2.1'`,
    user_agent: `'curl'`,
    is_successful: 'i % 100 <> 1',
  }),
  of('mail_outbox', {
    client_id: '1',
    kind: `'quota'`,
    recipient: `'a@example.test'`,
    subject: `'mail ' || i`,
    body: `'text'`,
    message_id: 'i',
    created_at: at,
    next_attempt_at: at,
    sent_at: at,
  }),
  of('limits_requests', {
    client_id: '1',
    user_id: '1',
    description: `'more'`,
    requested_limits: `'{}'`,
    status: `case when i % 100 = 1 then 'rejected' else 'done' end`,
    created_at: at,
  }),
  of('ssh_keys', {
    id: id('ssh_keys'),
    client_id: '1',
    project_id: '1',
    user_id: '1 + i % 100',
    ...named,
    public_key: `'ssh-ed25519 A'`,
    fingerprint: `'a'`,
    shared_in_project: 'i % 3 > 0',
    created_at: at,
  }),
  of('server_groups', { id: id('server_groups'), ...place, ...named, policy: `'affinity'`, created_at: at }),
  of('security_groups', { id: id('security_groups'), ...place, ...named, tags, ...both }),
  of('secrets', {
    id: id('secrets'),
    ...place,
    ...named,
    kind: `'certificate'`,
    status: `'ACTIVE'`,
    ...sealed,
    created_at: at,
  }),
  of('networks', {
    id: id('networks'),
    ...place,
    ...named,
    type: `case when i % 100 = 1 then 'vlan' else 'vxlan' end`,
    segmentation_id: 'i',
    mtu: '1450',
    tags,
    ...both,
  }),
  of('subnets', {
    id: id('subnets'),
    ...place,
    network_id: id('networks'),
    ...named,
    cidr: `network(set_masklen(${address}, 28))`,
    total_ips: '13',
    tags,
    ...both,
  }),
  of('routers', { id: id('routers'), ...place, ...named, ...both }),
  of('load_balancers', {
    id: id('load_balancers'),
    ...place,
    ...named,
    ...statuses,
    logging_enabled: 'i % 100 = 3',
    assigned_floating: 'i % 100 = 4',
    tags,
    flavor: `case when i % 3 = 0 then 'lb1-2-4' end`,
    created_at: at,
    updated_at: `case when i % 2 = 0 then ${at} end`,
    vip_address: address,
    vip_ip_family: `'ipv4'`,
    vip_port_id: id('ports'),
  }),
  of('lb_listeners', {
    id: id('lb_listeners'),
    load_balancer_id: id('load_balancers'),
    ...parts,
    protocol: `'HTTP'`,
    protocol_port: '80',
    ...statuses,
  }),
  of('lb_pools', {
    id: id('lb_pools'),
    load_balancer_id: id('load_balancers'),
    ...parts,
    protocol: `'HTTP'`,
    lb_algorithm: `'ROUND_ROBIN'`,
    ...statuses,
  }),
  of(
    'lb_members',
    {
      id: id('lb_members'),
      pool_id: id('lb_pools', '1'),
      load_balancer_id: id('load_balancers', '1'),
      address,
      protocol_port: '80',
      ...statuses,
      created_at: at,
    },
    { most: 200 },
  ),
  of('lb_l7_policies', {
    id: id('lb_l7_policies'),
    load_balancer_id: id('load_balancers'),
    listener_id: id('lb_listeners'),
    ...parts,
    action: `'REJECT'`,
    position: '1',
    ...statuses,
  }),
  of(
    'lb_l7_rules',
    {
      id: id('lb_l7_rules'),
      load_balancer_id: id('load_balancers'),
      project_id: '1',
      region_id: '2',
      policy_id: id('lb_l7_policies', '1'),
      type: `'PATH'`,
      compare_type: `'EQUAL_TO'`,
      value: `'/' || i`,
      ...statuses,
      created_at: at,
    },
    { most: 100 },
  ),
  of('instances', {
    id: id('instances'),
    ...place,
    ...named,
    flavor: `jsonb_build_object('id', case when i % 100 = 1 then 'g2-standard-2-4' else 'g1-standard-1-2' end, 'flavor_id', 'g1-standard-1-2', 'flavor_name', 'g1-standard-1-2', 'vcpus', 1, 'ram', 2048)`,
    status: `case when i % 100 = 1 then 'ERROR' else 'ACTIVE' end`,
    vm_state: `'active'`,
    status_since: at,
    tags,
    ...both,
  }),
  of('ports', {
    id: id('ports'),
    ...place,
    network_id: network,
    device_type: `case when i % 2 = 0 then 'load_balancer' else 'instance' end`,
    device_id: `case when i % 2 = 0 then ${id('load_balancers')} else ${id('instances')} end`,
    ...both,
  }),
  // Of reserved addresses: a third is free.
  of('ports', {
    id: id('reserved_fixed_ips'),
    ...place,
    network_id: network,
    device_type: `case when i % 3 > 0 then 'load_balancer' end`,
    device_id: `case when i % 3 > 0 then ${id('reserved load balancers')} end`,
    reserved: 'true',
    ...both,
  }),
  of('region_addresses', {
    region_id: '2',
    address,
    owner_id: id('ports'),
    space: network,
    subnet_id: subnet,
  }),
  of('region_addresses', {
    region_id: '2',
    address: reservedAddress,
    owner_id: id('reserved_fixed_ips'),
    space: network,
    subnet_id: subnet,
  }),
  of('reserved_fixed_ips', {
    port_id: id('reserved_fixed_ips'),
    ...place,
    network_id: network,
    subnet_id: subnet,
    space: network,
    ip_address: reservedAddress,
    is_external: 'i % 100 = 1',
    is_vip: 'i % 100 = 2',
    ...named,
    ...both,
  }),
  of('floating_ips', {
    id: id('floating_ips'),
    ...place,
    floating_ip_address: address,
    port_id: `case when i % 3 = 0 then ${id('ports')} end`,
    tags,
    ...both,
  }),
  of('volumes', {
    id: id('volumes'),
    ...place,
    ...named,
    size: '10',
    type: `'standard'`,
    status: `'available'`,
    bootable: 'i % 3 = 0',
    instance_id: `case when i % 2 = 0 then ${id('instances')} end`,
    attachment_id: `case when i % 2 = 0 then ${id('volumes')} end`,
    device: `case when i % 2 = 0 then '/dev/vda' end`,
    tags,
    ...both,
  }),
  of('volume_snapshots', {
    id: id('volume_snapshots'),
    ...place,
    ...named,
    volume_id: id('volumes'),
    status: `'available'`,
    size: '10',
    volume_type: `'standard'`,
    bootable: 'false',
    creator_task_id: id('tasks'),
    ...both,
  }),
  of('images', {
    id: id('images'),
    ...place,
    ...named,
    status: `'active'`,
    architecture: `case when i % 100 = 1 then 'aarch64' else 'x86_64' end`,
    os_type: `'linux'`,
    os_distro: `'ubuntu'`,
    os_version: `case when i % 100 = 2 then '22.04' else '24.04' end`,
    disk_format: `'qcow2'`,
    min_disk: '1',
    min_ram: '1',
    size: '1',
    tags,
    ...both,
  }),
  of(
    'object_storages',
    {
      client_id: '1',
      region_id: '2',
      name: `'thing-' || i`,
      status: `case when i % 100 = 1 then 'deleting' else 'active' end`,
      created_at: at,
    },
    { most: STORAGES },
  ),
  of('storage_usage', { client_id: '1', storage_name: `'s'`, bucket_name: `'b' || i` }),
  of('webhook_deliveries', {
    id: id('deliveries'),
    event_id: id('events'),
    client_id: '1',
    url: `'http://127.0.0.1:9/'`,
    type: `case when i % 100 = 1 then 'quota' else 'user_action' end`,
    data: `'{}'`,
    state: `case when i % 100 = 1 then 'FAILED' else 'DELIVERED' end`,
    next_attempt_at: at,
    created_at: at,
    ended_at: at,
  }),
  of('audit_log', {
    at,
    client_id: '1',
    user_id: '1',
    token_id: '1',
    request_id: 'i',
    action: `'create_network'`,
    action_type: `case when i % 100 = 1 then 'delete' else 'create' end`,
    api_group: `case when i % 100 = 2 then 'loadbalancer' else 'network' end`,
    resource_type: `'network'`,
    subject: `'resource ' || i`,
    subject_name: `'thing ' || i`,
    project_id: 'case when i % 100 = 3 then null else 1 end',
    region_id: 'case when i % 100 = 3 then null else 2 end',
    address: `case when i % 100 = 4 then '192.0.2.200' else '192.0.2.1' end`,
    user_agent: `case when i % 100 = 5 then 'curl' else 'terraform' end`,
  }),
  of('tasks', {
    id: id('tasks'),
    ...place,
    user_id: '1',
    type: `case when i % 100 = 1 then 'delete_loadbalancer' else 'create_loadbalancer' end`,
    state: `case when i % 100 = 2 then 'ERROR' else 'FINISHED' end`,
    subject_name: `'thing ' || i`,
    created_at: at,
    updated_at: at,
    finished_at: at,
    acknowledged_at: `case when i % 100 = 3 then ${at} end`,
  }),
];
