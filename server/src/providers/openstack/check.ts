import { messageOf } from '../../kernel/errors.ts';
import { OVN } from './abilities.ts';
import { checksOfMachines, NAMES_OF_MACHINES } from './check-machines.ts';
import { absent, EngineFault } from './faults.ts';
import { type Check, type Finding, fails, lacks, sayLimit, works } from './findings.ts';
import { type Session, timeOf } from './session.ts';
import type { OpenStackSettings } from './settings.ts';

/** Tags of load balancers came with it. */
const OLDEST_OCTAVIA = 5;
/** And protocols within TLS (ALPN) of pools. */
const TLS_OCTAVIA = 24;
export const WARN_DAYS = 14;
const DAY_MS = 86_400_000;

/** Asks a cloud what will work and what will not: rights, services, versions, networks, drivers, flavors and quotas.
 *  Changes nothing. @param now milliseconds since 1970 */
export async function checkCloud(
  session: Session,
  settings: OpenStackSettings,
  now: number,
): Promise<readonly Finding[]> {
  const signedIn = await checkIdentity(session, settings, now);
  if (signedIn.some(({ verdict }) => verdict === 'fails')) return signedIn;
  const checks = [
    checkOctavia,
    checkDriver,
    checkFlavors,
    checkKeyManager,
    checkVip,
    checkExternal,
    checkQuotas,
    ...checksOfMachines,
  ];
  const found = await Promise.all(checks.map((check) => checked(check, session, settings)));
  return [...signedIn, ...found.flat()];
}

async function checked(check: Check, session: Session, settings: OpenStackSettings) {
  try {
    return await check(session, settings);
  } catch (error) {
    return [fails(NAMES.get(check) ?? 'cloud', messageOf(error))];
  }
}

async function checkIdentity(
  session: Session,
  settings: OpenStackSettings,
  now: number,
): Promise<readonly Finding[]> {
  try {
    const { projectId, roles, credentialEndsAt, regions } = await session.identity();
    if (!regions.has(settings.region_name)) return [ofUnknownRegion(settings, regions)];
    const failover = roles.includes('admin')
      ? works('failover', 'may be asked for')
      : lacks('failover', 'needs the role admin: it will be refused');
    const says = `project ${projectId}, roles ${roles.join(', ')}`;
    return [
      roles.every((role) => READING.test(role))
        ? fails('sign in', `${says}, which let it read alone: its user needs the role member`)
        : works('sign in', says),
      ofEnd(credentialEndsAt, now),
      failover,
    ];
  } catch (error) {
    return [fails('sign in', whyNotIn(error, settings))];
  }
}

function ofUnknownRegion({ region_name: name }: OpenStackSettings, regions: ReadonlySet<string>): Finding {
  const all = regions.size > 0 ? `it has ${[...regions].sort().join(', ')}` : 'it has none';
  return fails('region', `the catalogue of the cloud names no region ${name}: ${all}`);
}

/** What to do is not in what Keystone says, or whatever else answers there. */
function whyNotIn(error: unknown, { auth_url: url, credential }: OpenStackSettings): string {
  if (!(error instanceof EngineFault))
    return `the sealed credential does not open: ${messageOf(error)}: ${SEAL}`;
  if (error.kind === 'credentials')
    return `Keystone refuses credential ${credential.id}, which has another secret, has ended or is deleted: ${SEAL}`;
  if (error.status === 0) return `${error.message}: auth_url must be reached from here`;
  return `${url} is no Keystone: ${error.message}; auth_url must be its address, with /v3`;
}

/** Roles that change nothing, by what clouds call them. Others may mean anything. */
const READING = /(^|[-_])(reader|observer|auditor)$/;
const SEAL = 'seal one of this cloud, and write it into the entry';

function ofEnd(endsAt: string | null | undefined, now: number): Finding {
  if (endsAt === undefined)
    return lacks('credential', 'when it ends could not be read, so that nobody is warned before');
  if (endsAt === null) return works('credential', 'does not end');
  const days = Math.floor((timeOf(endsAt) - now) / DAY_MS);
  return (days < WARN_DAYS ? lacks : works)('credential', `ends in ${days} days, at ${endsAt}`);
}

async function checkOctavia(session: Session): Promise<readonly Finding[]> {
  const newest = await newestOctavia(session);
  const says = `API 2.${newest}`;
  return [
    newest >= OLDEST_OCTAVIA
      ? works('Octavia', says)
      : fails('Octavia', `${says}: 2.${OLDEST_OCTAVIA} is needed`),
  ];
}

/** What follows the 2. of its newest version. */
async function newestOctavia(session: Session): Promise<number> {
  const versions = await session.versions('load-balancer');
  return Math.max(...versions.map((id) => Number(id.replace(/^v2\./, ''))).filter(Number.isFinite));
}

async function checkDriver(session: Session, { load_balancers: set }: OpenStackSettings) {
  const answer = await session.call('load-balancer', 'GET', '/lbaas/providers');
  const names = (answer as { providers: readonly { name: string }[] }).providers.map(({ name }) => name);
  const requested = set?.provider;
  if (requested === undefined) return [works('driver', `the default of the cloud, of ${names.join(', ')}`)];
  return [
    names.includes(requested)
      ? works('driver', requested)
      : fails('driver', `${requested} is none of the drivers here: ${names.join(', ')}`),
  ];
}

async function checkFlavors(session: Session, { load_balancers: set }: OpenStackSettings) {
  return Promise.all(
    Object.entries(set?.flavors ?? {}).map(async ([name, id]) => {
      const there = await absent(session.call('load-balancer', 'GET', `/lbaas/flavors/${id}`));
      return there ? works(`flavor ${name}`, id) : fails(`flavor ${name}`, `the cloud has no flavor ${id}`);
    }),
  );
}

/** Whether load balancers can end TLS, and speak it to members. */
async function checkKeyManager(session: Session, { load_balancers: set }: OpenStackSettings) {
  const what = 'TLS';
  const isThere = !session.lacks('key-manager');
  if (!set?.key_manager) {
    const why = isThere ? 'the entry does not say key_manager' : 'the cloud has no key manager (Barbican)';
    return [lacks(what, `load balancers cannot end it: ${why}`)];
  }
  if (!isThere) return [fails(what, 'the catalogue of the cloud has no key manager (Barbican)')];
  if (set.provider === OVN) return [lacks(what, 'the driver ovn balances connections alone')];
  const newest = await newestOctavia(session);
  if (newest < TLS_OCTAVIA) return [fails(what, `Octavia has API 2.${newest}: 2.${TLS_OCTAVIA} is needed`)];
  const { quotas } = (await session.call('key-manager', 'GET', '/quotas')) as {
    readonly quotas: { readonly secrets?: number };
  };
  await session.call('key-manager', 'GET', '/secrets?limit=1');
  return [works(what, `certificates and their keys are kept by Barbican: ${sayLimit(quotas.secrets)}`)];
}

interface Subnet {
  readonly cidr: string;
  readonly network_id: string;
  readonly project_id: string;
}

async function checkVip(session: Session, { vip }: OpenStackSettings): Promise<readonly Finding[]> {
  const what = 'addresses of load balancers';
  const answer = await absent(session.call('network', 'GET', `/subnets/${vip.subnet_id}`));
  if (!answer) return [fails(what, `the cloud has no subnet ${vip.subnet_id}`)];
  const { subnet } = answer as { subnet: Subnet };
  if (subnet.cidr !== vip.cidr)
    return [fails(what, `subnet ${vip.subnet_id} is ${subnet.cidr}, not ${vip.cidr}`)];
  const { projectId } = await session.identity();
  if (subnet.project_id === projectId) return [works(what, vip.cidr)];
  return [
    lacks(what, `${vip.cidr} is not the project's own: a port that is lost cannot get its address again`),
  ];
}

async function checkExternal(session: Session, { external }: OpenStackSettings) {
  const what = 'floating IPs';
  if (!external) return [lacks(what, 'there are none: the entry names no external network')];
  const answer = await absent(session.call('network', 'GET', `/networks/${external.network_id}`));
  if (!answer) return [fails(what, `the cloud has no network ${external.network_id}`)];
  const { network } = answer as { network: Readonly<Record<string, unknown>> };
  return [
    network['router:external'] === true
      ? works(what, external.cidr)
      : fails(what, `network ${external.network_id} does not lead outside`),
  ];
}

async function checkQuotas(session: Session): Promise<readonly Finding[]> {
  const { projectId } = await session.identity();
  const [balancers, networks] = await Promise.all([
    session.call('load-balancer', 'GET', `/lbaas/quotas/${projectId}`),
    session.call('network', 'GET', `/quotas/${projectId}`),
  ]);
  const { quota: ofOctavia } = balancers as { quota: Readonly<Record<string, number>> };
  const { quota: ofNeutron } = networks as { quota: Readonly<Record<string, number>> };
  const limits = {
    'load balancers': ofOctavia.load_balancer ?? ofOctavia.loadbalancer,
    listeners: ofOctavia.listener,
    members: ofOctavia.member,
    networks: ofNeutron.network,
    subnets: ofNeutron.subnet,
    routers: ofNeutron.router,
    'security groups': ofNeutron.security_group,
    ports: ofNeutron.port,
    'floating IPs': ofNeutron.floatingip,
  };
  const says = Object.entries(limits).map(([name, limit]) => `${name} ${sayLimit(limit)}`);
  return [works('quotas', says.join(', '))];
}

const NAMES: ReadonlyMap<Check, string> = new Map<Check, string>([
  [checkOctavia, 'Octavia'],
  [checkDriver, 'driver'],
  [checkFlavors, 'flavors'],
  [checkKeyManager, 'TLS'],
  [checkVip, 'addresses of load balancers'],
  [checkExternal, 'floating IPs'],
  [checkQuotas, 'quotas'],
  ...NAMES_OF_MACHINES,
]);
