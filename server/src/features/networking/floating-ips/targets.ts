import { Conflict, Invalid } from '../../../kernel/errors.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import { deviceOf, deviceText, holdPort, type PortRow, readPort } from '../ports/index.ts';
import type { Carrier } from './carrier.ts';
import type { Target } from './model.ts';
import * as store from './store.ts';

export interface RequestedTarget {
  readonly portId: string;
  /** null: any. */
  readonly address: string | null;
  readonly taskId: string;
  /** The floating IP that shall lead there. */
  readonly for: string;
}

/** Where floating IPs may lead to, held by the task that lets them: ports, or load balancers where they have the
 *  port. */
export class Targets {
  readonly #carrier: Carrier;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
  }

  /** Gives what the floating IP leads to at the moment to the task.
   *  @throws Conflict when another task holds it */
  async hold(tx: Tx, ctx: RegionContext, { portId, loadBalancerId }: Target, taskId: string): Promise<void> {
    if (loadBalancerId === null) await holdPort(tx, { ...ctx.scope, id: portId }, taskId);
    else await this.#carrier.hold(tx, { ...ctx.scope, id: loadBalancerId }, taskId);
  }

  /** Finds what the floating IP shall lead to, and gives it to the task.
   *  @throws NotFound, Invalid for an address that the port does not have, Conflict when the address has another
   *  floating IP or another task holds the port */
  async claim(tx: Tx, ctx: RegionContext, requested: RequestedTarget): Promise<Target> {
    const { portId, taskId } = requested;
    const where = { ...ctx.scope, id: portId };
    const seen = deviceOf(await readPort(tx, where.id, where));
    const target =
      seen?.type === 'load_balancer'
        ? await this.#balancer(tx, ctx, requested, seen.id)
        : onPort(await holdPort(tx, where, taskId), requested.address);
    const other = await store.findCarried(tx, portId, target.address);
    if (other && other.id !== requested.for)
      throw new Conflict(`Port ${portId} has floating IP ${other.id} already`);
    return target;
  }

  async #balancer(
    tx: Tx,
    ctx: RegionContext,
    requested: RequestedTarget,
    loadBalancerId: string,
  ): Promise<Target> {
    const { portId, address, taskId } = requested;
    const held = await this.#carrier.hold(tx, { ...ctx.scope, id: loadBalancerId }, taskId);
    if (held.address?.includes(':')) throw withoutIpv4(portId);
    if (address && address !== held.address) throw foreignAddress(address);
    return { portId, address: null, loadBalancerId };
  }
}

const foreignAddress = (address: string) =>
  new Invalid({ fixed_ip_address: [`${address} is not an address of this port`] });

const withoutIpv4 = (portId: string) =>
  new Invalid({ port_id: [`port ${portId} has no IPv4 address that a floating IP could lead to`] });

function onPort(port: PortRow, requested: string | null): Target {
  const device = deviceOf(port);
  if (device && device.type !== 'instance') {
    throw new Conflict(`A floating IP cannot lead to port ${port.id} of ${deviceText(device)}`, {
      // A load balancer that claimed the port this very moment can be asked for again.
      ...(device.type === 'load_balancer' ? { retryAfterMs: 1000 } : {}),
    });
  }
  const addresses = port.ip_assignments
    .map(({ ip_address }) => ip_address)
    .filter((text) => !text.includes(':'));
  if (requested && !addresses.includes(requested)) throw foreignAddress(requested);
  const address = requested ?? addresses[0];
  if (address === undefined) throw withoutIpv4(port.id);
  return { portId: port.id, address, loadBalancerId: null };
}
