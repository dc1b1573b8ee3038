import type { AddressProvider, AddressSource } from '../../features/networking/addresses/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { READY } from '../../kernel/operation.ts';
import { EngineFault } from './faults.ts';
import { Neutron } from './neutron.ts';
import type { Session } from './session.ts';
import type { OpenStackSettings } from './settings.ts';

/** Addresses of Neutron: each is a port, or a floating IP, that carries the id of what it is for. Asked again for the
 *  same id it is the same address. */
export class OpenStackAddresses implements AddressProvider {
  readonly #neutron: Neutron;
  readonly #settings: OpenStackSettings;

  constructor(session: Session, settings: OpenStackSettings) {
    this.#neutron = new Neutron(session, settings);
    this.#settings = settings;
  }

  async allocateAddress(_inUse: ReadonlySet<string>, id: string, within?: AddressSource): Promise<string> {
    if (within) throw new TaskFailed(`This region gives no addresses of ${within.cidr}`);
    const port = await asked(() => this.#neutron.ensurePort(id));
    const address = port.fixed_ips[0]?.ip_address;
    if (address === undefined) throw new TaskFailed(`Port ${port.id} of the cloud has no address`);
    return address;
  }

  async allocateFloatingAddress(_inUse: ReadonlySet<string>, id: string): Promise<string> {
    if (!this.#settings.external)
      throw new TaskFailed('This region has no floating IPs: it has no external network');
    const { floating_ip_address } = await asked(() => this.#neutron.ensureFloatingIp(id));
    return floating_ip_address;
  }

  async releaseAddress(id: string): Promise<void> {
    await asked(async () => {
      for (const each of await this.#neutron.floatingIpsMarked(id))
        await this.#neutron.removeFloatingIp(each.id);
      for (const each of await this.#neutron.portsMarked(id)) await this.#neutron.removePort(each.id);
    });
  }

  subnetFault(cidr: string): string | null {
    return `${cidr} is none of the networks of this region: load balancers have addresses of ${this.#settings.vip.cidr}`;
  }

  async ipv6Fault(): Promise<string | null> {
    return 'its network for load balancers is one of IPv4';
  }

  changeAddress = async () => READY;
}

/** @throws TaskFailed when the cloud will never do it; anything else is tried again */
async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
    if (error.kind === 'quota') throw new TaskFailed(`The region has no room for it: ${error.message}`);
    if (error.kind === 'refused' || error.kind === 'forbidden') throw new TaskFailed(error.message);
    throw error;
  }
}
