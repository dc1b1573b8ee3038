// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { findProgram } from './system-packages.mjs';

/** @typedef {import('./system-packages.mjs').SystemPackage} SystemPackage */

/** Debian asks this program before it starts a service; 101 means no. */
const POLICY_FILE = '/usr/sbin/policy-rc.d';
const POLICY = '#!/bin/sh\n# Written by Virga for the time of one installation.\nexit 101\n';
/** A mirror that does not answer should not hold a start for minutes. */
const PATIENCE = [
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=20',
  '-o',
  'DPkg::Lock::Timeout=60',
];

/**
 * The command that a person would type.
 * @param {SystemPackage[]} missing
 * @param {{ apt: boolean, root: boolean }} machine
 * @returns {string}
 */
export function installCommand(missing, machine) {
  const names = missing.map((entry) => entry.package).join(' ');
  if (!machine.apt) return `install ${names} with this system's package manager`;
  const sudo = machine.root ? '' : 'sudo ';
  return `${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${names}`;
}

/**
 * Installs Debian packages when this user may, without starting their services; otherwise says what to type.
 * @param {SystemPackage[]} missing
 * @returns {boolean} whether they are there now
 */
export function installSystemPackages(missing) {
  if (missing.length === 0) return true;
  const machine = { apt: findProgram('apt-get') !== undefined, root: process.getuid?.() === 0 };
  for (const entry of missing) console.error(`Missing: ${entry.package} (${entry.why})`);
  if (!machine.apt || !machine.root) {
    console.error(`To install: ${installCommand(missing, machine)}`);
    return false;
  }
  console.log('Installing them with apt-get; their services are not started.');
  const done = withoutServices(() => apt('update') && apt('install', missing));
  if (!done) console.error(`apt-get failed; by hand: ${installCommand(missing, machine)}`);
  else keepOffAtBoot(missing);
  return done;
}

/**
 * @param {'update' | 'install'} verb
 * @param {SystemPackage[]} [packages]
 */
function apt(verb, packages = []) {
  const names = packages.map((entry) => entry.package);
  const args = verb === 'install' ? ['install', '-y', '--no-install-recommends', ...names] : ['update'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const stdio = /** @type {const} */ (['ignore', 'inherit', 'inherit']);
  return spawnSync('apt-get', ['-q', ...PATIENCE, ...args], { env, stdio: [...stdio] }).status === 0;
}

/**
 * Does the work while Debian's policy says that no service may be started.
 * @param {() => boolean} work
 * @param {string} [policyFile]
 * @returns {boolean}
 */
export function withoutServices(work, policyFile = POLICY_FILE) {
  const ours = claimPolicy(policyFile);
  try {
    return work();
  } finally {
    if (ours) rmSync(policyFile, { force: true });
  }
}

/**
 * @param {string} file
 * @returns {boolean} whether the policy is ours to remove; an administrator's own one stays as it is
 */
function claimPolicy(file) {
  try {
    writeFileSync(file, POLICY, { mode: 0o755, flag: 'wx' });
    return true;
  } catch (error) {
    // Perhaps one that a killed installation of ours left behind.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return readFileSync(file, 'utf8') === POLICY;
  }
}

/** @param {SystemPackage[]} packages */
function keepOffAtBoot(packages) {
  const systemctl = findProgram('systemctl');
  const services = packages.flatMap((entry) => entry.service ?? []);
  if (systemctl && services.length > 0) spawnSync(systemctl, ['disable', ...services], { stdio: 'ignore' });
}
