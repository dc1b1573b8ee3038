import {
  type Applied,
  type DesiredFloatingIp,
  type DesiredNoun,
  type DesiredPort,
  type DesiredSubnet,
  type Drift,
  type NetworkProvider,
  type Noun,
  noTraffic,
} from '../../features/networking/networks/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { addressText, parseRange, usableAddresses } from '../../kernel/ip.ts';
import { type Operation, type Progress, READY } from '../../kernel/operation.ts';
import { digestOf } from './digest.ts';
import { EngineFault } from './faults.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import { NounLook } from './noun-look.ts';
import { type Fields, type FoundNoun, Nouns } from './nouns.ts';
import { Routers } from './routers.ts';
import { SecurityGroups } from './security-groups.ts';
import { step } from './steps.ts';

/** What was done to make it so. */
export interface Made {
  readonly found: FoundNoun;
  readonly changes: readonly string[];
}

/** Networks of Neutron and what is in them. Nothing waits in here. */
export class OpenStackNetworks implements NetworkProvider {
  /** Which of the cloud's techniques carries a network is the cloud's business. */
  readonly types = ['vxlan'] as const;
  readonly alwaysSnat = true;
  readonly ipv6DhcpFault =
    'cannot be changed for a subnet of IPv6 in this region: create another subnet, which has it as you want it';
  readonly #options: OpenStackOptions;
  readonly #nouns: Nouns;
  readonly #routers: Routers;
  readonly #groups: SecurityGroups;
  readonly #look: NounLook;

  constructor(options: OpenStackOptions) {
    this.#options = options;
    this.#nouns = new Nouns(options.session, options.objects);
    this.#routers = new Routers(options, this.#nouns);
    this.#groups = new SecurityGroups(options, this.#nouns);
    this.#look = new NounLook(options, this.#nouns);
  }

  mayLook = async (): Promise<boolean> => !this.#look.hasJustFailed && (await this.#options.mayLook());

  async apply(desired: DesiredNoun, operation: Operation): Promise<Applied> {
    return step(operation, this.#options, async () => {
      const { found, changes } = await this.#make(desired);
      await this.#nouns.settled(desired, found, digestOf(desired));
      const known = { ready: true, changes } as const;
      if (desired.kind === 'network') return { ready: true, changes, mtu: Number(found.mtu) };
      return desired.kind === 'router'
        ? { ready: true, changes, gateway: this.#routers.gatewayOf(found) }
        : known;
    });
  }

  async remove(noun: Noun, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      for (let found = await this.#nouns.find(noun); found; ) {
        if (noun.kind === 'router') await this.#routers.detachAll(found.id);
        if (noun.kind === 'subnet') await this.#routers.leave(found.id);
        await this.#nouns.delete(noun.kind, found.id);
        await this.#options.objects.forget(noun.id);
        found = await this.#nouns.find(noun);
      }
      await this.#options.objects.forget(noun.id);
      return READY;
    });
  }

  async look(nouns: readonly DesiredNoun[], held: ReadonlySet<string>): Promise<readonly Drift[]> {
    return this.#look.due(nouns, held);
  }

  readTraffic: NetworkProvider['readTraffic'] = async (router, window) => noTraffic(router, window);

  async #make(desired: DesiredNoun): Promise<Made> {
    switch (desired.kind) {
      case 'network':
        return this.#network(desired.id);
      case 'subnet':
        return this.#subnet(desired);
      case 'router':
        return this.#routers.make(desired);
      case 'port':
        return this.#port(desired);
      case 'floating_ip':
        return this.#floatingIp(desired);
    }
  }

  async #network(id: string): Promise<Made> {
    return this.#made({ kind: 'network', id }, {}, { admin_state_up: true });
  }

  /** Creates it when it is not there, else changes what differs. */
  async #made(noun: Noun, fixed: Fields, goal: Fields, more: Fields = {}): Promise<Made> {
    const found = await this.#nouns.find(noun);
    if (!found) {
      const created = await this.#nouns.create(noun, Object.assign({}, fixed, goal));
      return { found: created, changes: [`${noun.kind}: new`] };
    }
    const changed = await this.#nouns.change(noun, found, goal, more);
    return { found, changes: changed.map((field) => `${noun.kind}: ${field}`) };
  }

  async #subnet(desired: DesiredSubnet): Promise<Made> {
    const { networkId, cidr, gateway } = desired;
    const noun = { kind: 'network', id: networkId } as const;
    const network = (await this.#nouns.find(noun)) ?? (await this.#network(networkId)).found;
    const ip_version = parseRange(cidr)?.version ?? 4;
    const modes: Fields = ip_version === 6 && desired.enableDhcp ? STATEFUL : {};
    const fixed = Object.assign({ network_id: network.id, cidr, ip_version }, modes);
    const goal = {
      gateway_ip: gateway,
      enable_dhcp: desired.enableDhcp,
      dns_nameservers: desired.nameServers,
      host_routes: desired.hostRoutes.map(({ destination, nexthop }) => ({ destination, nexthop })),
    };
    const pools = { allocation_pools: poolsOf(cidr, gateway) };
    const found = await this.#nouns.find(desired);
    // Another gateway must be out of the pools, in the same call.
    const moves = found && found.gateway_ip !== gateway;
    return this.#made(desired, fixed, goal, moves ? pools : {});
  }

  async #port(desired: DesiredPort): Promise<Made> {
    const found = (await this.#nouns.find(desired)) ?? (await this.#portAt(desired));
    const groups = await this.#groups.engineIds(desired.securityGroupIds);
    const pairs = desired.allowedAddresses.map((ip_address) => ({ ip_address }));
    const filter = {
      port_security_enabled: desired.securityEnabled,
      security_groups: desired.securityEnabled ? groups : [],
      allowed_address_pairs: desired.securityEnabled ? pairs : [],
    };
    if (!found) return this.#newPort(desired, desired.isManaged ? {} : filter);
    const has = found.fixed_ips as readonly { readonly ip_address: string }[];
    const desiredAddresses = desired.addresses.map(({ address }) => address);
    const same = isSameSet(
      has.map((each) => each.ip_address),
      desiredAddresses,
    );
    const addresses: Fields = same ? {} : { fixed_ips: await this.#fixedIps(desired) };
    const its = found.allowed_address_pairs as readonly { readonly ip_address: string }[];
    // The cloud adds what it derives.
    const seen = Object.assign({}, found, {
      allowed_address_pairs: its.map(({ ip_address }) => ({ ip_address })),
    });
    const goal = Object.assign({}, addresses, desired.isManaged ? {} : filter);
    const changed = await this.#nouns.change(desired, seen, goal);
    return { found, changes: changed.map((field) => `port: ${field}`) };
  }

  /** One that was made here for something else, and has its address. */
  async #portAt({ addresses, networkId }: DesiredPort): Promise<FoundNoun | undefined> {
    const [first] = addresses;
    if (!first) return undefined;
    const network = await this.#networkOf(networkId);
    const query = `network_id=${network}&fixed_ips=${encodeURIComponent(`ip_address=${first.address}`)}`;
    return (await this.#nouns.query('port', query)).find(this.#nouns.isOurs);
  }

  async #newPort(desired: DesiredPort, filter: Fields): Promise<Made> {
    const fields = {
      network_id: await this.#networkOf(desired.networkId),
      fixed_ips: await this.#fixedIps(desired),
    };
    const own = await this.#nouns.engineId({ kind: 'network', id: desired.networkId });
    const mac = own === undefined ? {} : { mac_address: desired.macAddress };
    const all = desired.addresses.map(({ address }) => address).join(' and ');
    const found = await this.#nouns.createPort(desired, Object.assign(fields, mac, filter), all);
    return { found, changes: ['port: new'] };
  }

  /** The project's network, or that in which load balancers get addresses: the region's own. */
  async #networkOf(id: string): Promise<string> {
    const own = await this.#nouns.engineId({ kind: 'network', id });
    if (own !== undefined) return own;
    const answer = await this.#options.session.call('network', 'GET', `/subnets/${this.#vip}`);
    return (answer as { subnet: { network_id: string } }).subnet.network_id;
  }

  get #vip(): string {
    return this.#options.settings.vip.subnet_id;
  }

  async #fixedIps({ addresses }: DesiredPort): Promise<object[]> {
    const fixed: object[] = [];
    for (const { address, subnetId } of addresses) {
      const subnet = (await this.#nouns.engineId({ kind: 'subnet', id: subnetId })) ?? this.#vip;
      fixed.push({ subnet_id: subnet, ip_address: address });
    }
    return fixed;
  }

  async #floatingIp(desired: DesiredFloatingIp): Promise<Made> {
    const { address, leadsTo } = desired;
    const found = (await this.#nouns.find(desired)) ?? (await this.#newFloatingIp(desired));
    if (address !== null && found.floating_ip_address !== address)
      throw new TaskFailed(`Floating IP ${address} is not there in the cloud any more`);
    if (leadsTo === 'load balancer') return { found, changes: [] };
    const portId = leadsTo === null ? null : await this.#nouns.engineId({ kind: 'port', id: leadsTo.portId });
    if (portId === undefined)
      throw new EngineFault('missing', 404, `port ${leadsTo?.portId} is not there yet`);
    const fixed: Fields = leadsTo?.address ? { fixed_ip_address: leadsTo.address } : {};
    try {
      const changed = await this.#nouns.change(desired, found, Object.assign({ port_id: portId }, fixed), {
        port_id: portId,
      });
      return { found, changes: changed.map((field) => `floating IP: ${field}`) };
    } catch (error) {
      // No router leads from its subnet to where floating IPs are.
      if (error instanceof EngineFault && error.kind === 'missing') throw new TaskFailed(error.message);
      throw error;
    }
  }

  async #newFloatingIp(desired: DesiredFloatingIp): Promise<FoundNoun> {
    const { external } = this.#options.settings;
    if (!external) throw new TaskFailed('This region has no floating IPs: it has no external network');
    const address: Fields = desired.address === null ? {} : { floating_ip_address: desired.address };
    try {
      const fields = Object.assign({ floating_network_id: external.network_id }, address);
      return await this.#nouns.create(desired, fields);
    } catch (error) {
      if (!(error instanceof EngineFault) || error.kind !== 'forbidden') throw error;
      throw new TaskFailed(
        `Floating IP ${desired.address} is not there in the cloud any more, and only an administrator can have it again`,
      );
    }
  }
}

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  [...one].sort().join() === [...other].sort().join();

/** Guests get by DHCP the addresses that are chosen here, and routers tell them so, and that they lead outside. The
 *  cloud takes these words with a creation alone. */
const STATEFUL = { ipv6_address_mode: 'dhcpv6-stateful', ipv6_ra_mode: 'dhcpv6-stateful' } as const;

/** All addresses of a subnet but its gateway's. */
export function poolsOf(cidr: string, gateway: string | null): { start: string; end: string }[] {
  const range = parseRange(cidr);
  const usable = range && usableAddresses(range);
  if (!range || !usable) return [];
  const [first, last] = usable;
  const at = gateway === null ? undefined : parseRange(`${gateway}/${range.version === 4 ? 32 : 128}`)?.first;
  const parts: (readonly [bigint, bigint])[] =
    at === undefined
      ? [[first, last]]
      : [
          [first, at - 1n],
          [at + 1n, last],
        ];
  return parts
    .filter(([start, end]) => start <= end)
    .map(([start, end]) => ({
      start: addressText(range.version, start),
      end: addressText(range.version, end),
    }));
}
