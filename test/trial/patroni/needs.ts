import { readdirSync } from 'node:fs';
import path from 'node:path';
import { installSystemPackages } from '../../../scripts/lib/apt.mjs';
import { missingSystemPackages, type SystemPackage } from '../../../scripts/lib/system-packages.mjs';

/** Debian's packages of the trial, which neither a start nor `npm test` needs. */
const PACKAGES: SystemPackage[] = [
  {
    package: 'patroni',
    program: 'patroni',
    service: 'patroni',
    neededBy: ['test'],
    why: 'decides which PostgreSQL is the primary',
  },
  {
    package: 'etcd-server',
    program: 'etcd',
    service: 'etcd',
    neededBy: ['test'],
    why: 'keeps what Patroni has decided',
  },
  {
    package: 'postgresql',
    file: '/usr/lib/postgresql/*/bin/postgres',
    service: 'postgresql',
    neededBy: ['test'],
    why: 'the PostgreSQL that Patroni runs',
  },
  {
    package: 'haproxy',
    program: 'haproxy',
    service: 'haproxy',
    neededBy: ['test'],
    why: 'leads to the primary and to API nodes',
  },
  { package: 'iproute2', program: 'ip', neededBy: ['test'], why: 'makes the machines' },
];
const VERSIONS = '/usr/lib/postgresql';

/** Installs what is missing where this user may; otherwise says the command.
 *  @returns whether everything is there */
export const installNeeds = (): boolean => installSystemPackages(missingSystemPackages(PACKAGES, 'test'));

/** Where the programs of the newest PostgreSQL of the system are. */
export function postgresBinaries(): string {
  const versions = readdirSync(VERSIONS)
    .map(Number)
    .filter((version) => version > 0);
  return path.join(VERSIONS, String(Math.max(...versions)), 'bin');
}
