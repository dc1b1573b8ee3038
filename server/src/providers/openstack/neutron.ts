import { macAddressOf } from '../../kernel/mac.ts';
import { absent } from './faults.ts';
import { adopt, markedId, markOf } from './marks.ts';
import type { Session } from './session.ts';
import type { OpenStackSettings } from './settings.ts';

/** Ports and floating IPs of Neutron. A creation takes no tags there: the mark is the description. */

const PAGE = 500;

export interface Port {
  readonly id: string;
  readonly name: string;
  readonly created_at?: string;
  readonly description: string;
  readonly fixed_ips: readonly { readonly ip_address: string; readonly subnet_id: string }[];
}

export interface FloatingIp {
  readonly id: string;
  readonly created_at?: string;
  readonly description: string;
  readonly floating_ip_address: string;
  readonly port_id: string | null;
}

export class Neutron {
  readonly #session: Session;
  readonly #settings: Pick<OpenStackSettings, 'vip' | 'external'>;
  /** By the cloud's ids of their subnets, which never change. */
  readonly #networks = new Map<string, string>();

  constructor(session: Session, settings: Pick<OpenStackSettings, 'vip' | 'external'>) {
    this.#session = session;
    this.#settings = settings;
  }

  /** The port with this mark, which is made when there is none.
   *  @param address that it is to have; absent: the cloud chooses one
   *  @param subnetId the cloud's; absent: the one of virtual addresses
   *  @throws EngineFault `conflict` when something else has the address */
  async ensurePort(id: string, address?: string, subnetId = this.#settings.vip.subnet_id): Promise<Port> {
    const found = await this.#ports(`description=${encodeURIComponent(markOf(id))}`);
    const fits = ({ fixed_ips: its }: Port) =>
      its.some((each) => each.subnet_id === subnetId && (address ?? each.ip_address) === each.ip_address);
    const { adopted, surplus } = adopt(found.filter(fits));
    for (const port of [...surplus, ...found.filter((each) => !fits(each))]) await this.removePort(port.id);
    return adopted ?? this.#createPort(id, address, subnetId);
  }

  /** The port that has the address, if it was made here: others' are none of ours, though we may see them.
   *  @returns undefined when there is none */
  async portAt(address: string, subnetId = this.#settings.vip.subnet_id): Promise<Port | undefined> {
    const query = `fixed_ips=${encodeURIComponent(`ip_address=${address}`)}`;
    const ports = await this.#ports(`${query}&network_id=${await this.#networkOf(subnetId)}`);
    return ports.find((port) => markedId(port) !== null);
  }

  /** Gives a port one more address.
   *  @throws EngineFault `conflict` when something else has it */
  async addAddress(port: Port, subnetId: string, address: string): Promise<void> {
    const fixed_ips = [...port.fixed_ips, { subnet_id: subnetId, ip_address: address }];
    await this.#session.call('network', 'PUT', `/ports/${port.id}`, { port: { fixed_ips } });
  }

  async portsMarked(id: string): Promise<readonly Port[]> {
    return this.#ports(`description=${encodeURIComponent(markOf(id))}`);
  }

  async rename(portId: string, name: string): Promise<void> {
    await this.#session.call('network', 'PUT', `/ports/${portId}`, { port: { name } });
  }

  async removePort(engineId: string): Promise<void> {
    await absent(this.#session.call('network', 'DELETE', `/ports/${engineId}`));
  }

  async #createPort(id: string, address: string | undefined, subnetId: string): Promise<Port> {
    const subnet = { subnet_id: subnetId };
    const fixed = address === undefined ? subnet : { subnet_id: subnetId, ip_address: address };
    const port = {
      name: `virga-${id}`,
      description: markOf(id),
      network_id: await this.#networkOf(subnetId),
      fixed_ips: [fixed],
      // Only who owns the network may choose it.
      ...(subnetId === this.#settings.vip.subnet_id ? {} : { mac_address: macAddressOf(id) }),
    };
    const made = await this.#session.call('network', 'POST', '/ports', { port });
    return (made as { port: Port }).port;
  }

  /** The floating IP with this mark, which is made when there is none. */
  async ensureFloatingIp(id: string): Promise<FloatingIp> {
    const { external } = this.#settings;
    if (!external) throw new Error('this region has no external network');
    const found = await this.floatingIpsMarked(id);
    const { adopted, surplus } = adopt(found);
    for (const each of surplus) await this.removeFloatingIp(each.id);
    if (adopted) return adopted;
    const floatingip = { floating_network_id: external.network_id, description: markOf(id) };
    const made = await this.#session.call('network', 'POST', '/floatingips', { floatingip });
    return (made as { floatingip: FloatingIp }).floatingip;
  }

  async floatingIpsMarked(id: string): Promise<readonly FloatingIp[]> {
    return this.#floatingIps(`description=${encodeURIComponent(markOf(id))}`);
  }

  async floatingIpsOf(portId: string): Promise<readonly FloatingIp[]> {
    return this.#floatingIps(`port_id=${portId}`);
  }

  async floatingIpAt(address: string): Promise<FloatingIp | undefined> {
    return (await this.#floatingIps(`floating_ip_address=${address}`))[0];
  }

  /** @param portId null: it leads nowhere */
  async lead(floatingIpId: string, portId: string | null): Promise<void> {
    const floatingip = { port_id: portId };
    await this.#session.call('network', 'PUT', `/floatingips/${floatingIpId}`, { floatingip });
  }

  async removeFloatingIp(engineId: string): Promise<void> {
    await absent(this.#session.call('network', 'DELETE', `/floatingips/${engineId}`));
  }

  /** The ids of all ports of the project. A page that fails fails the whole. */
  async portIds(projectId: string): Promise<ReadonlySet<string>> {
    const lines = await this.#lines('ports', `project_id=${projectId}&fields=id`);
    return new Set(lines.map(({ id }) => id));
  }

  /** The ports that floating IPs of the project lead to, by their addresses. */
  async floatingTargets(projectId: string): Promise<ReadonlyMap<string, string | null>> {
    const fields = 'fields=id&fields=floating_ip_address&fields=port_id';
    const lines = await this.#lines<FloatingIp>('floatingips', `project_id=${projectId}&${fields}`);
    return new Map(lines.map((each) => [each.floating_ip_address, each.port_id]));
  }

  async #lines<Line extends { readonly id: string }>(path: string, query: string): Promise<readonly Line[]> {
    const all: Line[] = [];
    for (;;) {
      const last = all.at(-1);
      const marker = last ? `&marker=${last.id}` : '';
      const answer = await this.#session.call(
        'network',
        'GET',
        `/${path}?${query}&sort_key=id&sort_dir=asc&limit=${PAGE}${marker}`,
      );
      const page = (answer as Record<string, Line[]>)[path] ?? [];
      all.push(...page);
      if (page.length < PAGE) return all;
    }
  }

  async #ports(query: string): Promise<readonly Port[]> {
    const answer = await this.#session.call('network', 'GET', `/ports?${query}`);
    return (answer as { ports: Port[] }).ports;
  }

  async #floatingIps(query: string): Promise<readonly FloatingIp[]> {
    const answer = await this.#session.call('network', 'GET', `/floatingips?${query}`);
    return (answer as { floatingips: FloatingIp[] }).floatingips;
  }

  async #networkOf(subnetId: string): Promise<string> {
    const known = this.#networks.get(subnetId);
    if (known !== undefined) return known;
    const answer = await this.#session.call('network', 'GET', `/subnets/${subnetId}`);
    const { network_id: network } = (answer as { subnet: { network_id: string } }).subnet;
    this.#networks.set(subnetId, network);
    return network;
  }
}
