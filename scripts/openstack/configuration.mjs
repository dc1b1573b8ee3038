// @ts-check
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HOST, PORTS, REGION } from './place.mjs';

/** @typedef {Readonly<Record<string, Readonly<Record<string, string | number>>>>} Sections */

/** What the files of configuration depend on.
 * @typedef {object} Setup
 * @property {string} state the folder of the stack
 * @property {string} python the folder of the environment
 * @property {string} password of every account within the stack
 */

export const KEYSTONE_URL = `http://${HOST}:${PORTS.keystone}/v3`;

/** @param {string} state */
export const ovnSockets = (state) => ({
  north: `unix:${state}/run/ovn-north.sock`,
  south: `unix:${state}/run/ovn-south.sock`,
});

/** @param {Setup} setup @param {string} service */
export const configurationOf = ({ state }, service) => path.join(state, 'etc', `${service}.conf`);

/** Writes one file for each service.
 *  @param {Setup} setup */
export function writeConfigurations(setup) {
  mkdirSync(path.join(setup.state, 'etc'), { recursive: true });
  const files = {
    keystone: keystone(setup),
    neutron: neutron(setup),
    'octavia-api': octavia(setup, 'allowed_address_pairs_driver'),
    // Its amphorae are pretended, and so are their ports.
    'octavia-worker': octavia(setup, 'network_noop_driver'),
    barbican: barbican(setup),
    placement: placement(setup),
    'glance-api': glance(setup),
    cinder: cinder(setup),
    nova: nova(setup),
  };
  for (const [name, sections] of Object.entries(files))
    writeFileSync(configurationOf(setup, name), iniOf(sections), { mode: 0o600 });
}

/** @param {Sections} sections */
function iniOf(sections) {
  return Object.entries(sections)
    .map(([name, values]) => {
      const lines = Object.entries(values).map(([key, value]) => `${key} = ${value}`);
      return `[${name}]\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** @param {Setup} setup @param {string} database */
const databaseOf = ({ password }, database) => ({
  connection: `mysql+pymysql://root:${password}@${HOST}:${PORTS.mariadb}/${database}`,
});

/** @param {Setup} setup */
const busOf = ({ password }) => `rabbit://virga:${password}@${HOST}:${PORTS.rabbitmq}/`;

/** How a service signs in.
 *  @param {Setup} setup @param {string} service */
const accountOf = ({ password }, service) => ({
  auth_url: KEYSTONE_URL,
  auth_type: 'password',
  username: service,
  password,
  project_name: 'service',
  user_domain_name: 'Default',
  project_domain_name: 'Default',
  region_name: REGION,
});

/** How a service judges the tokens that it is shown. One that was revoked is soon known to be.
 *  @param {Setup} setup @param {string} service */
const judgeOf = (setup, service) => ({
  ...accountOf(setup, service),
  www_authenticate_uri: KEYSTONE_URL,
  token_cache_time: 5,
});

/** @param {Setup} setup @returns {Sections} */
const keystone = (setup) => ({
  database: databaseOf(setup, 'keystone'),
  // Nothing here is worth a slow hash, which would be most of what Keystone does.
  identity: { password_hash_rounds: 4 },
  token: { provider: 'fernet' },
  fernet_tokens: { key_repository: `${setup.state}/keys/tokens` },
  fernet_receipts: { key_repository: `${setup.state}/keys/receipts` },
  credential: { key_repository: `${setup.state}/keys/credentials` },
});

/** @param {Setup} setup @returns {Sections} */
const neutron = (setup) => ({
  DEFAULT: {
    transport_url: busOf(setup),
    host: 'one',
    core_plugin: 'ml2',
    service_plugins: 'ovn-router',
    api_paste_config: `${setup.python}/etc/neutron/api-paste.ini`,
    state_path: `${setup.state}/neutron`,
    bind_host: HOST,
    rpc_workers: 0,
  },
  database: databaseOf(setup, 'neutron'),
  keystone_authtoken: judgeOf(setup, 'neutron'),
  oslo_concurrency: { lock_path: `${setup.state}/neutron` },
  ml2: {
    mechanism_drivers: 'ovn',
    type_drivers: 'geneve,flat',
    tenant_network_types: 'geneve',
    extension_drivers: 'port_security',
    overlay_ip_version: 4,
  },
  ml2_type_geneve: { vni_ranges: '1:65536', max_header_size: 38 },
  ml2_type_flat: { flat_networks: 'public' },
  securitygroup: { enable_security_group: 'true' },
  ovn: { ovn_nb_connection: ovnSockets(setup.state).north, ovn_sb_connection: ovnSockets(setup.state).south },
  ovs: { ovsdb_connection: `unix:${setup.state}/run/switch.sock` },
});

/** Both kinds of load balancers: `ovn` carries packets, `amphora` is the whole API over pretended machines.
 *  @param {Setup} setup @param {string} networkDriver @returns {Sections} */
const octavia = (setup, networkDriver) => {
  const { state } = setup;
  const authority = `${state}/keys/authority`;
  return {
    DEFAULT: { transport_url: busOf(setup), host: 'one' },
    api_settings: {
      bind_host: HOST,
      bind_port: PORTS.octavia,
      enabled_provider_drivers: 'amphora:pretended machines,ovn:load balancers of OVN',
      default_provider_driver: 'amphora',
      minimum_member_health_check_timer: 1,
    },
    database: databaseOf(setup, 'octavia'),
    keystone_authtoken: judgeOf(setup, 'octavia'),
    service_auth: accountOf(setup, 'octavia'),
    oslo_messaging: { topic: 'octavia_prov' },
    controller_worker: {
      workers: 1,
      amphora_driver: 'amphora_noop_driver',
      compute_driver: 'compute_noop_driver',
      network_driver: networkDriver,
      image_driver: 'image_noop_driver',
      volume_driver: 'volume_noop_driver',
      amp_boot_network_list: '00000000-0000-4000-8000-000000000001',
      amp_flavor_id: 1,
      amp_image_tag: 'amphora',
      client_ca: `${authority}.pem`,
      loadbalancer_topology: 'SINGLE',
    },
    certificates: {
      cert_generator: 'local_cert_generator',
      cert_manager: 'barbican_cert_manager',
      region_name: REGION,
      ca_certificate: `${authority}.pem`,
      ca_private_key: `${authority}.key`,
      ca_private_key_passphrase: setup.password,
      // Exactly as long as its cipher wants it.
      server_certs_key_passphrase: setup.password.slice(0, 32),
    },
    health_manager: { heartbeat_key: setup.password },
    driver_agent: {
      enabled_provider_agents: 'ovn',
      status_socket_path: '/run/octavia/status.sock',
      stats_socket_path: '/run/octavia/stats.sock',
      get_socket_path: '/run/octavia/get.sock',
    },
    ovn: { ovn_nb_connection: ovnSockets(state).north, ovn_sb_connection: ovnSockets(state).south },
    neutron: accountOf(setup, 'octavia'),
    task_flow: { jobboard_enabled: 'false' },
  };
};

/** What is kept is encrypted under a key of its own, which is in this file.
 *  @param {Setup} setup @returns {Sections} */
const barbican = (setup) => ({
  DEFAULT: { host_href: `http://${HOST}:${PORTS.barbican}`, transport_url: busOf(setup) },
  database: databaseOf(setup, 'barbican'),
  keystone_authtoken: judgeOf(setup, 'barbican'),
  secretstore: { enabled_secretstore_plugins: 'store_crypto' },
  crypto: { enabled_crypto_plugins: 'simple_crypto' },
  simple_crypto_plugin: { kek: `${randomBytes(32).toString('base64url')}=` },
});

/** @param {Setup} setup @returns {Sections} */
const placement = (setup) => ({
  api: { auth_strategy: 'keystone' },
  placement_database: databaseOf(setup, 'placement'),
  keystone_authtoken: judgeOf(setup, 'placement'),
});

/** Images are files.
 *  @param {Setup} setup @returns {Sections} */
const glance = (setup) => {
  const { state, python } = setup;
  const store = (/** @type {string} */ name) => ({ filesystem_store_datadir: `${state}/images/${name}` });
  return {
    DEFAULT: { enabled_backends: 'files:file', enabled_import_methods: '[web-download]' },
    // Tests serve images there; nothing is fetched from elsewhere.
    import_filtering_opts: { allowed_hosts: `[${HOST}]`, allowed_ports: '[]' },
    database: databaseOf(setup, 'glance'),
    keystone_authtoken: judgeOf(setup, 'glance'),
    paste_deploy: { flavor: 'keystone', config_file: `${python}/etc/glance/glance-api-paste.ini` },
    glance_store: { default_backend: 'files' },
    files: store('files'),
    os_glance_tasks_store: store('tasks'),
    os_glance_staging_store: store('staging'),
  };
};

/** Volumes are files: their contents are true, but no host is connected to them.
 *  @param {Setup} setup @returns {Sections} */
const cinder = (setup) => {
  const { state, python } = setup;
  return {
    DEFAULT: {
      transport_url: busOf(setup),
      host: 'one',
      state_path: `${state}/cinder`,
      auth_strategy: 'keystone',
      api_paste_config: `${python}/etc/cinder/api-paste.ini`,
      resource_query_filters_file: `${python}/etc/cinder/resource_filters.json`,
      enabled_backends: 'files',
      glance_api_servers: `http://${HOST}:${PORTS.glance}`,
      rootwrap_config: `${python}/etc/cinder/rootwrap.conf`,
    },
    files: { volume_driver: 'file_volumes.FileDriver', volume_backend_name: 'files' },
    database: databaseOf(setup, 'cinder'),
    keystone_authtoken: {
      ...judgeOf(setup, 'cinder'),
      service_token_roles: 'service',
      service_token_roles_required: 'true',
    },
    nova: accountOf(setup, 'nova'),
    oslo_concurrency: { lock_path: `${state}/cinder` },
  };
};

/** Machines are pretended.
 *  @param {Setup} setup @returns {Sections} */
const nova = (setup) => {
  const { state } = setup;
  return {
    DEFAULT: {
      transport_url: busOf(setup),
      host: 'one',
      my_ip: HOST,
      state_path: `${state}/nova`,
      compute_driver: 'fake.FakeDriver',
      vif_plugging_is_fatal: 'false',
      vif_plugging_timeout: 0,
      allow_resize_to_same_host: 'true',
    },
    conductor: { workers: 1 },
    scheduler: { workers: 1, discover_hosts_in_cells_interval: 10 },
    api: { auth_strategy: 'keystone' },
    api_database: databaseOf(setup, 'nova_api'),
    database: databaseOf(setup, 'nova'),
    keystone_authtoken: judgeOf(setup, 'nova'),
    service_user: { ...accountOf(setup, 'nova'), send_service_user_token: 'true' },
    neutron: accountOf(setup, 'nova'),
    placement: accountOf(setup, 'nova'),
    cinder: {
      ...accountOf(setup, 'nova'),
      os_region_name: REGION,
      catalog_info: 'block-storage:cinder:publicURL',
    },
    glance: { api_servers: `http://${HOST}:${PORTS.glance}` },
    vnc: { enabled: 'true', novncproxy_base_url: `http://${HOST}:6080/vnc_lite.html` },
    oslo_concurrency: { lock_path: `${state}/nova` },
  };
};
