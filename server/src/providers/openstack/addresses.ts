import {
  type AddressProvider,
  type AddressSource,
  OWN_PREFIX,
} from '../../features/networking/addresses/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { addressText, hostsOf, parseRange, rangeContains } from '../../kernel/ip.ts';
import { READY } from '../../kernel/operation.ts';
import { OVN } from './abilities.ts';
import { EngineFault } from './faults.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import type { EngineObjects } from './marks.ts';
import { Neutron } from './neutron.ts';
import { Nouns } from './nouns.ts';
import type { OpenStackSettings } from './settings.ts';

/** Where the IPv6 subnet lies that each region has: nothing leads there in a cloud. */
const OWN = parseRange(OWN_PREFIX);

/** Addresses of Neutron: each is a port, or a floating IP, that carries the id of what it is for. Asked again for the
 *  same id it is the same address. */
export class OpenStackAddresses implements AddressProvider {
  readonly #neutron: Neutron;
  readonly #settings: OpenStackSettings;
  readonly #nouns: Nouns;
  readonly #objects: EngineObjects;
  readonly separateNetworks = true;
  readonly givesAll = true;
  readonly choosesGateways = true;
  readonly dualFault: string | null;
  readonly conversionFault =
    'Floating IPs of this region belong to another network than reserved fixed IPs: neither can become the other';

  constructor({ session, settings, objects }: Pick<OpenStackOptions, 'session' | 'settings' | 'objects'>) {
    this.#neutron = new Neutron(session, settings);
    this.#nouns = new Nouns(session, objects);
    this.#objects = objects;
    this.#settings = settings;
    this.dualFault =
      settings.load_balancers?.provider === OVN
        ? 'cannot be dual: load balancers of this region have one address, which OVN balances'
        : null;
  }

  async allocateAddress(inUse: ReadonlySet<string>, id: string, within?: AddressSource): Promise<string> {
    if (within?.external) throw new TaskFailed(`This region gives no addresses of ${within.cidr}`);
    if (within) return requested(() => this.#own(inUse, id, within));
    const port = await requested(() => this.#neutron.ensurePort(id));
    const address = port.fixed_ips[0]?.ip_address;
    if (address === undefined) throw new TaskFailed(`Port ${port.id} of the cloud has no address`);
    return address;
  }

  /** The first address of a project's subnet that neither we nor the cloud have given. */
  async #own(inUse: ReadonlySet<string>, id: string, { subnetId, cidr, gateway }: AddressSource) {
    const subnet = await this.#nouns.engineId({ kind: 'subnet', id: subnetId ?? '' });
    if (subnet === undefined)
      throw new EngineFault('missing', 404, `subnet ${subnetId} is not there in the cloud`);
    const [port] = await this.#neutron.portsMarked(id);
    const had = port?.fixed_ips.find((each) => each.subnet_id === subnet)?.ip_address;
    if (had !== undefined && !inUse.has(had)) return had;
    const range = parseRange(cidr);
    for (const address of range ? hostsOf(range) : []) {
      if (inUse.has(address) || address === gateway) continue;
      try {
        if (port && had === undefined) await this.#neutron.addAddress(port, subnet, address);
        else await this.#neutron.ensurePort(id, address, subnet);
        return address;
      } catch (error) {
        if (!(error instanceof EngineFault) || error.kind !== 'conflict') throw error;
      }
    }
    throw new TaskFailed(`Subnet ${cidr} has no free address`);
  }

  async allocateFloatingAddress(_inUse: ReadonlySet<string>, id: string): Promise<string> {
    if (!this.#settings.external)
      throw new TaskFailed('This region has no floating IPs: it has no external network');
    const { floating_ip_address } = await requested(() => this.#neutron.ensureFloatingIp(id));
    return floating_ip_address;
  }

  async releaseAddress(id: string): Promise<void> {
    await requested(async () => {
      for (const each of await this.#neutron.floatingIpsMarked(id))
        await this.#neutron.removeFloatingIp(each.id);
      for (const each of await this.#neutron.portsMarked(id)) await this.#neutron.removePort(each.id);
      await this.#objects.forget(id);
    });
  }

  async ipv6Fault(cidr: string): Promise<string | null> {
    const range = parseRange(cidr);
    const isOwn = !range || !OWN || !rangeContains(OWN, addressText(range.version, range.first));
    return isOwn ? null : 'its external network is one of IPv4: choose a subnet of a network of yours';
  }

  changeAddress = async () => READY;
}

/** @throws TaskFailed when the cloud will never do it; anything else is tried again */
async function requested<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
    if (error.kind === 'quota') throw new TaskFailed(`The region has no room for it: ${error.message}`);
    if (error.kind === 'refused' || error.kind === 'forbidden') throw new TaskFailed(error.message);
    throw error;
  }
}
