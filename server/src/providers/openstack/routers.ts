import type { DesiredInterface, DesiredRouter } from '../../features/networking/networks/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { absent, EngineFault } from './faults.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import type { FoundNoun, Nouns } from './nouns.ts';

interface FoundInterface extends FoundNoun {
  readonly fixed_ips: readonly { readonly subnet_id: string; readonly ip_address: string }[];
}

interface Route {
  readonly destination: string;
  readonly nexthop: string;
}

interface Gateway {
  readonly network_id: string;
  readonly external_fixed_ips?: readonly { readonly ip_address: string }[];
}

/** Routers of Neutron: first come gateway and interfaces, then the routes that lead through them. */
export class Routers {
  readonly #options: Pick<OpenStackOptions, 'session' | 'settings'>;
  readonly #nouns: Nouns;

  constructor(options: Pick<OpenStackOptions, 'session' | 'settings'>, nouns: Nouns) {
    this.#options = options;
    this.#nouns = nouns;
  }

  async make(desired: DesiredRouter): Promise<{ found: FoundNoun; changes: readonly string[] }> {
    const changes: string[] = [];
    let found = await this.#nouns.find(desired);
    const gateway = desired.hasGateway ? { network_id: this.#outside() } : null;
    if (!found) {
      const outside = gateway ? { external_gateway_info: gateway } : {};
      found = await this.#nouns.create(desired, outside);
      changes.push('router: new');
    }
    const surplus = await this.#surplus(desired, found);
    const has = (found.routes ?? []) as readonly Route[];
    // A route keeps the interface that it leads through.
    const kept = has.filter((each) => desired.routes.some((route) => isSameRoute(route, each)));
    if (surplus.length > 0 && kept.length < has.length)
      await this.#nouns.update('router', found.id, { routes: kept });
    for (const { id } of surplus) await this.#detach(found.id, id);
    if (surplus.length > 0) changes.push('router: surplus interfaces');
    const its = this.#gateway(found);
    if ((its?.network_id ?? null) !== (gateway?.network_id ?? null)) {
      await this.#nouns.update('router', found.id, { external_gateway_info: gateway ?? {} });
      changes.push('router: external_gateway_info');
    }
    for (const each of await this.#missing(desired, found)) {
      await this.#attach(found.id, each);
      changes.push('router: interfaces');
    }
    const now = (await this.#nouns.find(desired)) ?? found;
    const routes = desired.routes.map(({ destination, nexthop }) => ({ destination, nexthop }));
    const isAsDesired = sorted(routes) === sorted((now.routes ?? []) as readonly Route[]);
    const goal = isAsDesired ? { admin_state_up: true } : { admin_state_up: true, routes };
    const changed = await this.#nouns.change(desired, now, goal);
    return { found: now, changes: [...changes, ...changed.map((field) => `router: ${field}`)] };
  }

  /** Its address outside. */
  gatewayOf(found: FoundNoun): string | null {
    return this.#gateway(found)?.external_fixed_ips?.[0]?.ip_address ?? null;
  }

  async detachAll(routerId: string): Promise<void> {
    const routes = { routes: [] };
    await absent(this.#nouns.update('router', routerId, routes));
    for (const { id } of await this.#interfaces(routerId)) await this.#detach(routerId, id);
  }

  /** Takes a subnet that goes from the routers that it was attached to. */
  async leave(subnetId: string): Promise<void> {
    const query = `fixed_ips=${encodeURIComponent(`subnet_id=${subnetId}`)}`;
    for (const port of await this.#nouns.query('port', `${query}&device_owner=network:router_interface`))
      await this.#detach(String(port.device_id), port.id);
  }

  #gateway(found: FoundNoun): Gateway | null {
    return (found.external_gateway_info ?? null) as Gateway | null;
  }

  #outside(): string {
    const { external } = this.#options.settings;
    if (!external) throw new TaskFailed('Routers of this region lead nowhere: it has no external network');
    return external.network_id;
  }

  async #interfaces(routerId: string): Promise<readonly FoundInterface[]> {
    const ports = await this.#nouns.query('port', `device_id=${routerId}`);
    return ports.filter((port) => port.device_owner !== 'network:router_gateway') as FoundInterface[];
  }

  async #surplus({ interfaces }: DesiredRouter, found: FoundNoun): Promise<FoundInterface[]> {
    const addresses = new Set(interfaces.map(({ address }) => address));
    const its = await this.#interfaces(found.id);
    return its.filter(({ fixed_ips: each }) => !each.some(({ ip_address }) => addresses.has(ip_address)));
  }

  async #missing({ interfaces }: DesiredRouter, found: FoundNoun): Promise<DesiredInterface[]> {
    const its = await this.#interfaces(found.id);
    const has = new Set(its.flatMap(({ fixed_ips: each }) => each.map(({ ip_address }) => ip_address)));
    return interfaces.filter(({ address }) => !has.has(address));
  }

  async #attach(routerId: string, { portId, networkId, subnetId, address }: DesiredInterface): Promise<void> {
    const noun = { kind: 'port', id: portId } as const;
    const network = await this.#nouns.engineId({ kind: 'network', id: networkId });
    const subnet = await this.#nouns.engineId({ kind: 'subnet', id: subnetId });
    if (network === undefined || subnet === undefined)
      throw new EngineFault('missing', 404, `subnet ${subnetId} is not there yet`);
    const fixed = [{ subnet_id: subnet, ip_address: address }];
    const found = await this.#nouns.find(noun);
    const port =
      found ?? (await this.#nouns.createPort(noun, { network_id: network, fixed_ips: fixed }, address));
    await this.#nouns.change(noun, port, { fixed_ips: fixed });
    await this.#options.session.call('network', 'PUT', `/routers/${routerId}/add_router_interface`, {
      port_id: port.id,
    });
  }

  /** Its port goes with it. */
  async #detach(routerId: string, portId: string): Promise<void> {
    await absent(
      this.#options.session.call('network', 'PUT', `/routers/${routerId}/remove_router_interface`, {
        port_id: portId,
      }),
    );
  }
}

const isSameRoute = (one: Route, other: Route) =>
  one.destination === other.destination && one.nexthop === other.nexthop;

const sorted = (routes: readonly Route[]) =>
  routes
    .map(({ destination, nexthop }) => `${destination} ${nexthop}`)
    .sort()
    .join();
