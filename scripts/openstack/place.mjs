// @ts-check
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Where the stack is: outside of the checkout, beside the engines. */

/** A loopback address of its own: nothing else listens there. */
export const HOST = '127.78.0.1';

/** The network namespace in which its packets are. */
export const NAMESPACE = 'virga-openstack';

/** Of the services that are always there, and of those of machines and disks. */
export const PORTS = {
  keystone: 5000,
  neutron: 9696,
  octavia: 9876,
  barbican: 9311,
  mariadb: 3306,
  rabbitmq: 5672,
  nova: 8774,
  placement: 8778,
  glance: 9292,
  cinder: 8776,
};

export const REGION = 'one';

/** @param {NodeJS.ProcessEnv} [env] */
export function rootFolder(env = process.env) {
  const set = env.VIRGA_OPENSTACK_DIR?.trim();
  if (set) return path.resolve(set);
  if (process.getuid?.() === 0) return '/var/cache/virga/openstack';
  return path.join(env.XDG_CACHE_HOME?.trim() || path.join(os.homedir(), '.cache'), 'virga', 'openstack');
}

const REQUIREMENTS = new URL('requirements.txt', import.meta.url);

export const requirementsFile = () => REQUIREMENTS.pathname;

/** Named by what is in it: another list makes another one.
 *  @param {string} root */
export function pythonFolder(root) {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  return path.join(root, `python-${digest}`);
}

/** What `up` makes and `down` removes.
 *  @param {string} root */
export const stateFolder = (root) => path.join(root, 'stack');

/** What to sign in with: written last, readable by its owner alone.
 *  @param {string} root */
export const accessFile = (root) => path.join(stateFolder(root), 'access.json');
