// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from './run.mjs';

/** @typedef {import('./tool.d.ts').Server} Server */

const CLUSTER = '/cloud/v1/dbaas/postgres/clusters/1/1';
const CLUSTERS = '/cloud/v2/k8s/clusters/1/1';
const NAME = 'judged';

/**
 * Starts a server of the checkout, with its own data directory and a free port.
 * @param {string} root
 * @returns {Promise<Server>}
 */
export async function startServer(root) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-judge-'));
  const env = {
    ...process.env,
    VIRGA_DATA_DIR: path.join(folder, 'data'),
    PORT: '0',
    VIRGA_EDGE: 'off',
    VIRGA_TIME_SCALE: '0',
  };
  const script = (/** @type {string} */ name) => path.join(root, 'scripts', name);
  const stop = async () => {
    await run(process.execPath, [script('stop.mjs'), '--purge'], { cwd: root, env });
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const said = await run(process.execPath, [script('start.mjs'), '--wait=180'], { cwd: root, env });
    const fact = (/** @type {string} */ name) => new RegExp(`^${name}=(.*)$`, 'm').exec(said)?.[1] ?? '';
    /** @type {Map<string, Promise<string>>} */
    const clusters = new Map();
    const call = caller(fact('VIRGA_URL'), fact('API_TOKEN'));
    return {
      url: fact('VIRGA_URL'),
      token: fact('API_TOKEN'),
      pooled: remembered(() => makePooled(call)),
      storage: remembered(() => makeStorage(call)),
      images: path.join(folder, 'data', 'images'),
      kubeconfig: (name) => {
        const made = clusters.get(name) ?? makeCluster(call, name);
        clusters.set(name, made);
        return made;
      },
      stop,
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * @template T
 * @param {() => Promise<T>} make
 * @returns {() => Promise<T>}
 */
function remembered(make) {
  /** @type {Promise<T> | undefined} */
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * @param {string} url
 * @param {string} token
 */
function caller(url, token) {
  return async (
    /** @type {string} */ method,
    /** @type {string} */ where,
    /** @type {object | undefined} */ body = undefined,
  ) => {
    const response = await fetch(`${url}${where}`, {
      method,
      headers: { authorization: `APIKey ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${where} answers ${response.status}: ${text}`);
    return JSON.parse(text);
  };
}

/**
 * @param {ReturnType<typeof caller>} call
 * @param {string} id of a task
 */
async function finished(call, id) {
  for (let state = 'NEW'; state !== 'FINISHED'; ) {
    const task = await call('GET', `/cloud/v1/tasks/${id}?wait=30`);
    if (task.state === 'ERROR') throw new Error(task.error);
    state = task.state;
  }
}

/** @param {ReturnType<typeof caller>} call */
async function makePooled(call) {
  const { tasks } = await call('POST', CLUSTER, {
    cluster_name: NAME,
    flavor: { cpu: 1, memory_gib: 1 },
    network: { network_type: 'public', acl: ['127.0.0.0/8'] },
    pg_server_configuration: { version: '18', pg_conf: '', pooler: { mode: 'transaction' } },
    high_availability: null,
    storage: { size_gib: 1, type: 'standard' },
    users: [{ name: 'app', role_attributes: ['LOGIN'] }],
    databases: [{ name: 'shop', owner: 'app' }],
  });
  await finished(call, tasks[0]);
  const { password } = await call('GET', `${CLUSTER}/${NAME}/users/app/credentials`);
  const { network } = await call('GET', `${CLUSTER}/${NAME}`);
  const { hostname, port } = new URL(network.connection_string);
  return { host: hostname, port: Number(port), user: 'app', password, database: 'shop' };
}

/** @param {ReturnType<typeof caller>} call */
async function makeStorage(call) {
  const body = { location_name: 'local', name: NAME };
  const { address, access_keys: keys } = await call('POST', '/storage/v4/object_storages', body);
  return { address, ...keys[0] };
}

/**
 * @param {ReturnType<typeof caller>} call
 * @param {string} name
 */
async function makeCluster(call, name) {
  const versions = await call('GET', '/cloud/v2/k8s/1/1/create_versions');
  await call('POST', '/cloud/v1/ssh_keys/1', { name });
  const { tasks } = await call('POST', CLUSTERS, {
    name,
    version: versions.results.at(-1).version,
    keypair: name,
    pools: [{ name: 'workers', flavor_id: 'g1-standard-2-4', min_node_count: 2 }],
  });
  await finished(call, tasks[0]);
  return (await call('GET', `${CLUSTERS}/${name}/config`)).config;
}
