import type { Faults } from '../../kernel/faults.ts';
import { isIpNetwork } from '../../kernel/ip.ts';
import { networkRule } from '../../kernel/rules.ts';
import type { ClusterSpec, Flavor } from './model.ts';
import type { Offer } from './port.ts';
import type { CreateCluster, UpdateCluster } from './schema.ts';

/** What schemas cannot say. Every check adds to one list of faults. */

const MOST_NAME = 63;
const MOST_ENTRIES = 100;
const MOST_LISTED = 200;
/** Names that every server has or refuses. */
const TAKEN_USERS = new Set(['none', 'postgres', 'public']);
const TAKEN_DATABASES = new Set(['postgres']);

export function checkSpec(faults: Faults, spec: ClusterSpec, offer: Offer): void {
  const { flavors, storageClasses, versions } = offer;
  if (!versions.includes(spec.version))
    faults.add(
      'pg_server_configuration.version',
      `must be one of: ${versions.join(', ') || 'none at present'}`,
    );
  if (!flavors.some(({ cpu, memory_gib: gib }) => cpu === spec.flavor.cpu && gib === spec.flavor.memory_gib))
    faults.add('flavor', `must be one of: ${flavors.map(inWords).join(', ')}`);
  if (!storageClasses.includes(spec.storage.type.replaceAll('_', '-')))
    faults.add('storage.type', `must be one of: ${storageClasses.join(', ')}`);
  const { createRoleFrom } = offer;
  if (createRoleFrom !== null && Number(spec.version) < createRoleFrom)
    spec.users.forEach(({ role_attributes: attributes }, i) => {
      if (attributes.includes('CREATEROLE'))
        faults.add(`users.${i}.role_attributes`, `must not have CREATEROLE before version ${createRoleFrom}`);
    });
  checkParts(faults, spec);
}

const inWords = ({ cpu, memory_gib: gib }: Flavor) => `cpu ${cpu} with memory_gib ${gib}`;

/** What can be said of a new cluster without asking its region, as far as fields are given. */
export function checkGiven(body: Partial<CreateCluster>, faults: Faults): void {
  const { network, users, databases } = body;
  checkParts(faults, { acl: network?.acl, users, databases });
}

/** The same of a change: databases may be owned by users that are there already. */
export function checkGivenChange(body: Partial<UpdateCluster>, faults: Faults): void {
  const { network, users, databases } = body;
  checkAcl(faults, network?.acl ?? []);
  checkUsers(faults, users ?? []);
  checkNames(faults, 'databases', databases ?? [], TAKEN_DATABASES);
}

type Parts = { readonly [P in 'acl' | 'users' | 'databases']: ClusterSpec[P] | undefined };

function checkParts(faults: Faults, { acl = [], users, databases = [] }: Parts): void {
  checkAcl(faults, acl);
  checkUsers(faults, users ?? []);
  checkNames(faults, 'databases', databases, TAKEN_DATABASES);
  if (users) checkOwners(faults, databases, users);
}

function checkAcl(faults: Faults, acl: readonly string[]): void {
  if (acl.length > MOST_LISTED) faults.add('network.acl', `must have at most ${MOST_LISTED} entries`);
  const seen = new Set<string>();
  acl.forEach((entry, i) => {
    if (!isIpNetwork(entry)) faults.add(`network.acl.${i}`, networkRule(entry));
    else if (seen.has(entry)) faults.add(`network.acl.${i}`, `${entry} is given twice`);
    seen.add(entry);
  });
}

type Named = readonly { readonly name: string }[];

function checkNames(faults: Faults, field: string, named: Named, reserved: ReadonlySet<string>): void {
  if (named.length > MOST_ENTRIES) faults.add(field, `must be at most ${MOST_ENTRIES}`);
  named.forEach(({ name }, i) => {
    const at = `${field}.${i}.name`;
    if (name === '' || name.length > MOST_NAME) faults.add(at, `must have 1 to ${MOST_NAME} letters`);
    else if (reserved.has(name)) faults.add(at, `${name} is reserved by PostgreSQL`);
    else if (named.findIndex((other) => other.name === name) < i) faults.add(at, `${name} is given twice`);
  });
}

function checkUsers(faults: Faults, users: ClusterSpec['users']): void {
  checkNames(faults, 'users', users, TAKEN_USERS);
  users.forEach(({ role_attributes: attributes }, i) => {
    if (attributes.includes('LOGIN') && attributes.includes('NOLOGIN'))
      faults.add(`users.${i}.role_attributes`, 'must not have both LOGIN and NOLOGIN');
  });
}

function checkOwners(faults: Faults, databases: ClusterSpec['databases'], users: Named): void {
  databases.forEach(({ owner }, i) => {
    if (!users.some(({ name }) => name === owner))
      faults.add(`databases.${i}.owner`, `${owner} is not one of the users`);
  });
}

/** What a cluster that is there can become. */
export function checkChange(faults: Faults, before: ClusterSpec, next: ClusterSpec): void {
  if (next.storage.size_gib < before.storage.size_gib)
    faults.add('storage.size_gib', `must not be less than the ${before.storage.size_gib} GiB that it has`);
  if (Number(next.version) < Number(before.version))
    faults.add('pg_server_configuration.version', `must not be older than the ${before.version} that it has`);
}

/** Why the region cannot do what is new in `next`, in words; undefined: it can. */
export function refusalOf(
  offer: Offer,
  before: ClusterSpec | undefined,
  next: ClusterSpec,
): string | undefined {
  const { noHighAvailability, noMajorUpgrade, noPooler } = offer;
  if (noHighAvailability !== null && next.replication !== null && next.replication !== before?.replication)
    return `Clusters here have no replicas: ${noHighAvailability}`;
  if (noPooler !== null && next.pooler !== null && next.pooler !== before?.pooler)
    return `Clusters here have no pooler: ${noPooler}`;
  if (noMajorUpgrade !== null && before && next.version !== before.version)
    return `A cluster cannot be brought to another version here: ${noMajorUpgrade}`;
  return undefined;
}
