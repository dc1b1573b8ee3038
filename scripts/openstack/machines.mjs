// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { configurationOf } from './configuration.mjs';
import { administrator, MACHINE_SERVICES, makeServices } from './identity.mjs';
import { accessFile, HOST, PORTS, pythonFolder, stateFolder } from './place.mjs';
import { runToEnd, startDetached, until } from './processes.mjs';
import { answers, program, serve } from './services.mjs';

/** Machines, disks and images of the stack: Nova with pretended machines, Placement, Cinder with volumes that are files,
 *  and Glance. They double its memory, and are there where they are asked for. */

/** @typedef {import('./configuration.mjs').Setup} Setup */

export const DATABASES = ['nova_api', 'nova', 'nova_cell0', 'placement', 'glance', 'cinder'];
export const FOLDERS = ['nova', 'cinder', 'volumes', 'images/files', 'images/tasks', 'images/staging'];

/** Virga's sizes, and what they are there. */
const FLAVORS = [
  { name: 'g1-standard-1-2', vcpus: 1, ram: 2048 },
  { name: 'g1-standard-2-4', vcpus: 2, ram: 4096 },
];

/** Starts them in a stack that runs, and says in its access file what they offer.
 *  @param {string} root @param {(line: string) => void} say */
export async function startMachines(root, say) {
  const state = stateFolder(root);
  const access = JSON.parse(readFileSync(accessFile(root), 'utf8'));
  const setup = { state, python: pythonFolder(root), password: access.administrator.password };
  say('Making the schemas of Nova, Placement, Glance and Cinder');
  const manage = (/** @type {string} */ service, /** @type {string[]} */ ...words) =>
    runToEnd(state, `${service}-manage`, [
      program(setup, `${service}-manage`),
      '--config-file',
      configurationOf(setup, service === 'glance' ? 'glance-api' : service),
      ...words,
    ]);
  await Promise.all([
    makeServices(setup.password, MACHINE_SERVICES),
    manage('placement', 'db', 'sync'),
    manage('glance', 'db_sync'),
    manage('cinder', 'db', 'sync'),
    makeNova(manage),
  ]);
  say('Starting Nova, Placement, Glance and Cinder');
  startServices(setup);
  await Promise.all(
    MACHINE_SERVICES.map(({ name, port }) => until(name, () => answers(`http://${HOST}:${port}/`))),
  );
  const machines = await makeOffer(setup);
  const whole = Object.assign({}, access, { machines });
  writeFileSync(accessFile(root), `${JSON.stringify(whole, null, 2)}\n`, { mode: 0o600 });
}

/** @param {(service: string, ...words: string[]) => Promise<string>} manage */
async function makeNova(manage) {
  await manage('nova', 'api_db', 'sync');
  await manage('nova', 'cell_v2', 'map_cell0');
  await manage('nova', 'cell_v2', 'create_cell', '--name', 'one');
  await manage('nova', 'db', 'sync');
}

/** @param {Setup} setup */
function startServices(setup) {
  const { state, python } = setup;
  const etc = path.join(state, 'etc');
  const file = (/** @type {string} */ service) => ['--config-file', configurationOf(setup, service)];
  serve(setup, 'placement', 'placement.wsgi.api', PORTS.placement, { OS_PLACEMENT_CONFIG_DIR: etc });
  serve(setup, 'glance', 'glance.wsgi.api', PORTS.glance, { OS_GLANCE_CONFIG_DIR: etc });
  serve(setup, 'cinder', 'cinder.wsgi.api', PORTS.cinder, {}, file('cinder'));
  serve(setup, 'nova', 'nova.wsgi.osapi_compute', PORTS.nova, {
    OS_NOVA_CONFIG_DIR: etc,
    // The first of them is that of its pipelines.
    OS_NOVA_CONFIG_FILES: `${python}/etc/nova/api-paste.ini;nova.conf`,
  });
  const driver = { PYTHONPATH: import.meta.dirname, VIRGA_VOLUMES: path.join(state, 'volumes') };
  for (const [name, env] of /** @type {const} */ ([
    ['nova-conductor', {}],
    ['nova-scheduler', {}],
    ['nova-compute', {}],
    ['cinder-scheduler', {}],
    ['cinder-volume', driver],
  ]))
    startDetached(state, name, [program(setup, name), ...file(name.replace(/-.*/, ''))], env);
}

/** Flavors, types of volumes and an image for everybody.
 *  @param {Setup} setup */
async function makeOffer({ password }) {
  const call = await administrator(password);
  const [nova, cinder, glance] = [
    `http://${HOST}:${PORTS.nova}/v2.1`,
    `http://${HOST}:${PORTS.cinder}/v3`,
    `http://${HOST}:${PORTS.glance}/v2`,
  ];
  const flavors = /** @type {Record<string, string>} */ ({});
  for (const flavor of FLAVORS) {
    const { flavor: made } = await call('POST', `${nova}/flavors`, { flavor: { ...flavor, disk: 0 } });
    flavors[flavor.name] = made.id;
  }
  for (const name of ['plain', 'fast']) await call('POST', `${cinder}/types`, { volume_type: { name } });
  const image = { name: 'tiny', disk_format: 'raw', container_format: 'bare', visibility: 'public' };
  const { id } = await call('POST', `${glance}/images`, image);
  await call('PUT', `${glance}/images/${id}/file`, Buffer.from('tiny'.repeat(1024)));
  await until('a machine of Nova', async () => {
    const { hypervisor_statistics: all } = await call('GET', `${nova}/os-hypervisors/statistics`);
    if (all.count < 1) throw new Error('there is none');
  });
  await until('a host of Cinder', async () => {
    const { services } = await call('GET', `${cinder}/os-services?binary=cinder-volume`);
    if (!services.some((/** @type {any} */ each) => each.state === 'up')) throw new Error('there is none');
  });
  return { flavors, volume_types: { standard: 'plain', ssd_hiiops: 'fast' }, image_id: id };
}
