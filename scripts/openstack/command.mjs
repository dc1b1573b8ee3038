// @ts-check
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { startMachines } from './machines.mjs';
import { installNeeds, machineFault } from './needs.mjs';
import { accessFile, rootFolder, stateFolder } from './place.mjs';
import { processesOf } from './processes.mjs';
import { accessOf, installPython, lookAtStack, startStack, stopStack } from './stack.mjs';

const USAGE = `npm run openstack -- up      builds and starts an OpenStack on this machine; with --with-compute also Nova, Cinder
                             and Glance, which may be added to one that runs
npm run openstack -- down    stops it, and deletes what is in it
npm run openstack -- status  says what runs
npm run openstack -- test    starts all of it that does not run, and runs test/openstack`;

const WITH_COMPUTE = '--with-compute';

/**
 * @param {string} checkout
 * @param {readonly string[]} words
 * @returns {Promise<number>} exit code
 */
export async function openstackCommand(checkout, [verb, ...rest]) {
  const root = rootFolder();
  if (verb === 'up') return up(root, rest.includes(WITH_COMPUTE));
  if (verb === 'down') return down(root);
  if (verb === 'status') return status(root);
  if (verb === 'test') return test(checkout, root, rest);
  console.error(USAGE);
  return 1;
}

/** @param {string} root @param {boolean} withCompute */
async function up(root, withCompute) {
  const running = accessOf(root);
  if (running && (running.machines || !withCompute)) return status(root);
  const fault = machineFault();
  if (fault !== null) {
    console.error(`OpenStack cannot run here: ${fault}`);
    return 1;
  }
  if (!installNeeds()) return 1;
  const began = Date.now();
  const say = (/** @type {string} */ line) =>
    console.log(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${line}`);
  try {
    await installPython(root, say);
    if (!running) await startStack(root, say);
    if (withCompute) await startMachines(root, say);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(
      `Its logs are in ${path.join(stateFolder(root), 'log')}; npm run openstack -- down ends it.`,
    );
    return 1;
  }
  say(`It runs. What to sign in with: ${accessFile(root)}`);
  return 0;
}

/** @param {string} root */
async function down(root) {
  await stopStack(root);
  console.log('OpenStack is stopped, and what was in it is deleted.');
  return 0;
}

/** @param {string} root */
async function status(root) {
  const services = await lookAtStack(root);
  if (services.length === 0) {
    console.log('OpenStack does not run here. npm run openstack -- up starts it.');
    return 1;
  }
  for (const { name, says } of services) console.log(`${name.padEnd(9)} ${says}`);
  console.log(
    `${processesOf(stateFolder(root)).length} processes; what to sign in with: ${accessFile(root)}`,
  );
  return services.every(({ says }) => says.startsWith('answers')) ? 0 : 1;
}

/** @param {string} checkout @param {string} root @param {string[]} words */
async function test(checkout, root, words) {
  const started = await up(root, true);
  if (started !== 0) return started;
  const files = words.length > 0 ? words : ['test/openstack'];
  // One after the other: they share the cloud.
  const run = ['vitest', 'run', '--no-file-parallelism', ...files];
  const { status: code } = spawnSync('npx', run, { cwd: checkout, stdio: 'inherit' });
  return code ?? 1;
}
