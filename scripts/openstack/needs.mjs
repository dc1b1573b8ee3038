// @ts-check
import { existsSync } from 'node:fs';
import { installSystemPackages } from '../lib/apt.mjs';
import { findProgram } from '../lib/system-packages.mjs';

/** @typedef {import('../lib/system-packages.mjs').SystemPackage} SystemPackage */

/** What no start and no test installs by itself.
 *  @type {readonly SystemPackage[]} */
const PACKAGES = [
  {
    package: 'mariadb-server',
    program: 'mariadbd',
    service: 'mariadb',
    neededBy: [],
    why: 'the databases of OpenStack',
  },
  {
    package: 'rabbitmq-server',
    program: 'rabbitmq-server',
    service: 'rabbitmq-server',
    neededBy: [],
    why: 'what parts of OpenStack say to each other',
  },
  {
    package: 'openvswitch-switch',
    program: 'ovs-vswitchd',
    service: 'openvswitch-switch',
    neededBy: [],
    why: 'carries packets',
  },
  { package: 'ovn-central', program: 'ovn-northd', service: 'ovn-central', neededBy: [], why: 'networks' },
  { package: 'ovn-host', program: 'ovn-controller', service: 'ovn-host', neededBy: [], why: 'networks' },
  { package: 'iproute2', program: 'ip', neededBy: [], why: 'network namespaces' },
  { package: 'ethtool', program: 'ethtool', neededBy: [], why: 'checksums of guests' },
  { package: 'openssl', program: 'openssl', neededBy: [], why: 'the authority of load balancers' },
  {
    package: 'python3-venv',
    file: '/usr/lib/python3.*/ensurepip/__init__.py',
    program: 'python3',
    neededBy: [],
    why: 'the services of OpenStack are Python programs',
  },
];

/** @returns {SystemPackage[]} what this machine lacks */
function missingPackages() {
  return PACKAGES.filter(({ program = '' }) => findProgram(program) === undefined);
}

/** Why this machine cannot run the stack, whatever is installed; null: it can.
 *  @returns {string | null} */
export function machineFault() {
  if (process.platform !== 'linux') return 'it needs Linux: network namespaces carry its packets';
  if (process.getuid?.() !== 0) return 'it makes network namespaces: sudo npm run openstack -- up';
  if (!existsSync('/dev/net/tun')) return 'there is no /dev/net/tun: modprobe tun';
  return null;
}

/** @returns {boolean} whether everything is there now; what is missing was said */
export function installNeeds() {
  return installSystemPackages(missingPackages());
}
