// @ts-check
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { configurationOf, KEYSTONE_URL, ovnSockets, writeConfigurations } from './configuration.mjs';
import { makeAccounts, makeNetworks } from './identity.mjs';
import { makeKeyManager, startKeyManager } from './key-manager.mjs';
import { DATABASES, FOLDERS } from './machines.mjs';
import {
  accessFile,
  HOST,
  NAMESPACE,
  PORTS,
  pythonFolder,
  REGION,
  requirementsFile,
  stateFolder,
} from './place.mjs';
import { endProcesses, processesOf, runToEnd, startDetached, until } from './processes.mjs';
import { answers, program, serve } from './services.mjs';

/** @typedef {import('./configuration.mjs').Setup} Setup */
/** @typedef {(line: string) => void} Say */

/** The programs of OpenStack, in the versions of the list.
 *  @param {string} root @param {Say} say */
export async function installPython(root, say) {
  const folder = pythonFolder(root);
  const mark = path.join(folder, 'installed');
  if (existsSync(mark)) return;
  say('Installing the programs of OpenStack from PyPI, some 500 MB');
  mkdirSync(root, { recursive: true, mode: 0o755 });
  rmSync(folder, { recursive: true, force: true });
  const env = { HOME: process.env.HOME, TMPDIR: '/tmp', PATH: process.env.PATH };
  await installInto(root, folder, { ...process.env, ...env });
  writeFileSync(mark, '');
}

/** @param {string} root @param {string} folder @param {NodeJS.ProcessEnv} env */
async function installInto(root, folder, env) {
  const python = path.join(folder, 'bin/python');
  await runToEnd(root, 'venv', ['python3', '-m', 'venv', folder], { env });
  // pip alone takes minutes to find out what belongs together.
  await runToEnd(root, 'uv', [python, '-m', 'pip', 'install', '-q', 'uv==0.13.9'], { env });
  await runToEnd(
    root,
    'requirements',
    [path.join(folder, 'bin/uv'), 'pip', 'install', '--python', python, '-r', requirementsFile()],
    { env },
  );
}

/** @param {string} root @param {Say} say @returns {Promise<object>} what to sign in with */
export async function startStack(root, say) {
  const state = stateFolder(root);
  await stopStack(root);
  for (const folder of [
    'run',
    'log',
    'keys',
    'home',
    'tmp',
    'neutron',
    'mariadb',
    'rabbitmq',
    'switch',
    ...FOLDERS,
  ])
    mkdirSync(path.join(state, folder), { recursive: true, mode: 0o755 });
  // Several accounts use it, like /tmp.
  chmodSync(path.join(state, 'tmp'), 0o1777);
  // Where drivers of Octavia expect its agent, whatever its configuration says.
  mkdirSync('/run/octavia', { recursive: true });
  const setup = { state, python: pythonFolder(root), password: randomBytes(24).toString('hex') };
  writeConfigurations(setup);
  await runToEnd(state, 'ip', ['ip', 'netns', 'add', NAMESPACE]);
  await runToEnd(state, 'ip', ['ip', '-n', NAMESPACE, 'link', 'set', 'lo', 'up']);
  say('Starting MariaDB, RabbitMQ, Open vSwitch and OVN');
  await Promise.all([startDatabase(setup), startBus(setup), startNetwork(setup), makeAuthority(setup)]);
  say('Making the schemas of Keystone, Neutron, Octavia and Barbican');
  await Promise.all([makeIdentity(setup), makeNeutron(setup), makeOctavia(setup), makeKeyManager(setup)]);
  serve(setup, 'keystone', 'keystone.wsgi.api', PORTS.keystone, {
    OS_KEYSTONE_CONFIG_DIR: path.join(state, 'etc'),
    OS_KEYSTONE_CONFIG_FILES: 'keystone.conf',
  });
  await until('Keystone', () => answers(KEYSTONE_URL));
  const { projectId, ...credential } = await makeAccounts(setup.password);
  say('Starting Neutron, Octavia and Barbican');
  await Promise.all([startNeutron(setup), startOctavia(setup), startKeyManager(setup)]);
  const networks = await makeNetworks(setup.password);
  const access = {
    auth_url: KEYSTONE_URL,
    region_name: REGION,
    project_id: projectId,
    credential,
    ...networks,
    // For tests, which look at what is there without asking Virga.
    administrator: { name: 'admin', password: setup.password, project: 'admin' },
    namespace: NAMESPACE,
    switch: `unix:${state}/run/switch.sock`,
  };
  writeFileSync(accessFile(root), `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 });
  return access;
}

/** @param {string} root */
export async function stopStack(root) {
  const state = stateFolder(root);
  await endProcesses(state);
  if (existsSync(`/run/netns/${NAMESPACE}`))
    await runToEnd('/', 'ip', ['ip', 'netns', 'del', NAMESPACE]).catch(() => undefined);
  // What is left of one that was made among other mounts.
  rmSync(`/run/netns/${NAMESPACE}`, { force: true });
  rmSync(state, { recursive: true, force: true });
}

/** @param {string} root @returns {any} what to sign in with; undefined when nothing runs */
export function accessOf(root) {
  const file = accessFile(root);
  if (!existsSync(file) || processesOf(stateFolder(root)).length === 0) return undefined;
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {number} port @returns {Promise<void>} */
const listens = (port) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port }, () => {
      socket.end();
      resolve();
    }).on('error', reject);
  });

/** @param {string} folder @param {string} account that shall own it */
async function give(folder, account) {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (what) => Number(await runToEnd('/', 'id', ['id', what, account]))),
  );
  chownSync(folder, uid ?? 0, gid ?? 0);
}

/** @param {Setup} setup */
async function startDatabase({ state, password }) {
  const folder = path.join(state, 'mariadb');
  await give(folder, 'mysql');
  const common = ['--no-defaults', '--user=mysql', `--datadir=${folder}`];
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db'];
  await runToEnd(state, 'mariadb-install-db', ['mariadb-install-db', ...common, ...install]);
  const socket = path.join(folder, 'socket');
  startDetached(state, 'mariadb', [
    'mariadbd',
    ...common,
    `--socket=${socket}`,
    `--pid-file=${folder}/pid`,
    `--bind-address=${HOST}`,
    `--port=${PORTS.mariadb}`,
    // It is thrown away, and only one machine uses it.
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-buffer-pool-size=64M',
    '--max-connections=400',
  ]);
  const client = ['mariadb', '--no-defaults', `--socket=${socket}`, '-uroot'];
  const statements = [
    ...['keystone', 'neutron', 'octavia', 'barbican', ...DATABASES].map((name) => `create database ${name}`),
    `create user root@'127.%' identified by '${password}'`,
    "grant all on *.* to root@'127.%'",
    `alter user root@localhost identified by '${password}'`,
  ];
  await until('MariaDB', () => runToEnd(state, 'mariadb', client, { input: 'select 1' }));
  await runToEnd(state, 'mariadb', client, { input: `${statements.join(';\n')};\n` });
}

/** @param {Setup} setup */
async function startBus({ state, password }) {
  const folder = path.join(state, 'rabbitmq');
  await give(folder, 'rabbitmq');
  const definitions = path.join(folder, 'definitions.json');
  const user = { name: 'virga', password, tags: ['administrator'] };
  const rights = { user: 'virga', vhost: '/', configure: '.*', write: '.*', read: '.*' };
  writeFileSync(
    definitions,
    JSON.stringify({ users: [user], vhosts: [{ name: '/' }], permissions: [rights] }),
    { mode: 0o600 },
  );
  await give(definitions, 'rabbitmq');
  const file = path.join(folder, 'rabbitmq.conf');
  writeFileSync(
    file,
    `listeners.tcp.default = ${HOST}:${PORTS.rabbitmq}\nload_definitions = ${definitions}\n`,
  );
  const env = {
    HOME: folder,
    RABBITMQ_NODENAME: 'virga-openstack@localhost',
    // Not that of a RabbitMQ that this machine may have.
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: '14369',
    RABBITMQ_DIST_PORT: '14370',
    RABBITMQ_CONFIG_FILE: file,
    RABBITMQ_MNESIA_BASE: folder,
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_ENABLED_PLUGINS_FILE: path.join(folder, 'plugins'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none',
  };
  startDetached(
    state,
    'rabbitmq',
    ['setpriv', '--reuid=rabbitmq', '--regid=rabbitmq', '--clear-groups', RABBITMQ],
    env,
  );
  await until('RabbitMQ', () => listens(PORTS.rabbitmq));
}

/** What Debian's wrapper starts, which would drop the environment. */
const RABBITMQ = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** Open vSwitch and OVN with the datapath in user space: no module of the kernel is needed.
 *  @param {Setup} setup */
async function startNetwork({ state }) {
  const run = path.join(state, 'run');
  const { north, south } = ovnSockets(state);
  const env = { OVS_RUNDIR: run, OVN_RUNDIR: run };
  const databases = [
    { name: 'switch', schema: '/usr/share/openvswitch/vswitch.ovsschema', socket: `unix:${run}/switch.sock` },
    { name: 'ovn-north', schema: '/usr/share/ovn/ovn-nb.ovsschema', socket: north },
    { name: 'ovn-south', schema: '/usr/share/ovn/ovn-sb.ovsschema', socket: south },
  ];
  for (const { name, schema, socket } of databases) {
    const file = path.join(state, 'switch', `${name}.db`);
    await runToEnd(state, name, ['ovsdb-tool', 'create', file, schema]);
    startDetached(
      state,
      name,
      ['ovsdb-server', file, `--remote=p${socket}`, `--unixctl=${run}/${name}.ctl`],
      env,
    );
  }
  const client = ['ovs-vsctl', '--timeout=60', `--db=unix:${run}/switch.sock`];
  await until('Open vSwitch', () => runToEnd(state, 'ovs-vsctl', [...client, '--no-wait', 'init']));
  const inside = (/** @type {string} */ name, /** @type {string[]} */ ...command) =>
    startDetached(state, name, ['nsenter', `--net=/run/netns/${NAMESPACE}`, ...command], env);
  inside('vswitchd', 'ovs-vswitchd', `unix:${run}/switch.sock`);
  inside('northd', 'ovn-northd', `--ovnnb-db=${north}`, `--ovnsb-db=${south}`);
  const ids = {
    'system-id': 'one',
    hostname: 'one',
    'ovn-remote': south,
    'ovn-encap-type': 'geneve',
    'ovn-encap-ip': '127.0.0.1',
    'ovn-bridge-datapath-type': 'netdev',
    'ovn-cms-options': 'enable-chassis-as-gw',
    'ovn-bridge-mappings': 'public:br-ex',
  };
  const settings = Object.entries(ids).map(([key, value]) => `external_ids:${key}=${value}`);
  await runToEnd(state, 'ovs-vsctl', [...client, '--no-wait', 'set', 'open_vswitch', '.', ...settings]);
  await runToEnd(state, 'ovs-vsctl', [
    ...client,
    'add-br',
    'br-ex',
    '--',
    'set',
    'bridge',
    'br-ex',
    'datapath_type=netdev',
    'fail-mode=standalone',
  ]);
  inside('controller', 'ovn-controller', `unix:${run}/switch.sock`);
  // The world outside: whoever asks a floating IP asks from here.
  const ip = ['ip', '-n', NAMESPACE];
  await runToEnd(state, 'ip', [...ip, 'address', 'add', '203.0.113.1/24', 'dev', 'br-ex']);
  await runToEnd(state, 'ip', [...ip, 'link', 'set', 'br-ex', 'up']);
  await runToEnd(state, 'ethtool', [
    'nsenter',
    `--net=/run/netns/${NAMESPACE}`,
    'ethtool',
    '-K',
    'br-ex',
    'tx',
    'off',
  ]);
}

/** @param {Setup} setup */
async function makeAuthority({ state, password }) {
  const file = path.join(state, 'keys/authority');
  const subject = ['-x509', '-newkey', 'rsa:2048', '-days', '30', '-subj', '/CN=virga-openstack'];
  await runToEnd(
    state,
    'openssl',
    ['openssl', 'req', ...subject, '-passout', 'stdin', '-keyout', `${file}.key`, '-out', `${file}.pem`],
    { input: password },
  );
  chmodSync(`${file}.key`, 0o600);
}

/** @param {Setup} setup */
async function makeIdentity(setup) {
  const { state, password } = setup;
  const manage = (/** @type {string[]} */ words, env = {}) =>
    runToEnd(
      state,
      'keystone-manage',
      [program(setup, 'keystone-manage'), '--config-file', configurationOf(setup, 'keystone'), ...words],
      { env },
    );
  for (const folder of ['tokens', 'receipts', 'credentials'])
    mkdirSync(path.join(state, 'keys', folder), { recursive: true, mode: 0o700 });
  await manage(['db_sync']);
  for (const kind of ['fernet_setup', 'credential_setup', 'receipt_setup'])
    await manage([kind, '--keystone-user', 'root', '--keystone-group', 'root']);
  const urls = ['admin', 'internal', 'public'].flatMap((face) => [`--bootstrap-${face}-url`, KEYSTONE_URL]);
  // By the environment: command lines are for everybody to read.
  await manage(['bootstrap', ...urls, '--bootstrap-region-id', REGION], {
    OS_BOOTSTRAP_PASSWORD: password,
  });
}

/** @param {Setup} setup */
const makeNeutron = (setup) =>
  runToEnd(setup.state, 'neutron-db-manage', [
    program(setup, 'neutron-db-manage'),
    '--config-file',
    configurationOf(setup, 'neutron'),
    'upgrade',
    'heads',
  ]);

/** @param {Setup} setup */
const makeOctavia = (setup) =>
  runToEnd(setup.state, 'octavia-db-manage', [
    program(setup, 'octavia-db-manage'),
    '--config-file',
    configurationOf(setup, 'octavia-api'),
    'upgrade',
    'head',
  ]);

/** @param {Setup} setup */
async function startNeutron(setup) {
  const words = ['--config-file', configurationOf(setup, 'neutron')];
  serve(setup, 'neutron', 'neutron.wsgi.api', PORTS.neutron, { ASGI_WORKERS: '1' }, words);
  await until('Neutron', () => answers(`http://${HOST}:${PORTS.neutron}/`));
}

/** @param {Setup} setup */
async function startOctavia(setup) {
  startOctaviaWorker(setup);
  const words = ['--config-file', configurationOf(setup, 'octavia-api')];
  startDetached(setup.state, 'octavia-driver-agent', [program(setup, 'octavia-driver-agent'), ...words]);
  // The API looks for it once, when it starts.
  await until('the agent of Octavia', async () => {
    if (!existsSync('/run/octavia/status.sock')) throw new Error('it has no socket');
  });
  serve(setup, 'octavia', 'octavia.wsgi.api', PORTS.octavia, {}, words);
  await until('Octavia', () => answers(`http://${HOST}:${PORTS.octavia}/`));
}

/** @param {Setup} setup */
function startOctaviaWorker(setup) {
  startDetached(setup.state, 'octavia-worker', [
    program(setup, 'octavia-worker'),
    '--config-file',
    configurationOf(setup, 'octavia-worker'),
  ]);
}

/** @param {string} root @returns {Promise<{ name: string, says: string }[]>} what each service says */
export async function lookAtStack(root) {
  const access = accessOf(root);
  if (!access) return [];
  const machines = {
    Nova: PORTS.nova,
    Placement: PORTS.placement,
    Glance: PORTS.glance,
    Cinder: PORTS.cinder,
  };
  const always = {
    Keystone: KEYSTONE_URL,
    Neutron: PORTS.neutron,
    Octavia: PORTS.octavia,
    Barbican: PORTS.barbican,
  };
  const urls = Object.assign({}, always, access.machines ? machines : {});
  return Promise.all(
    Object.entries(urls).map(async ([name, where]) => {
      const url = typeof where === 'number' ? `http://${HOST}:${where}/` : where;
      const says = await answers(url).then(
        () => 'answers',
        (error) => `does not answer: ${error.message}`,
      );
      return { name, says: `${says}  ${url}` };
    }),
  );
}
