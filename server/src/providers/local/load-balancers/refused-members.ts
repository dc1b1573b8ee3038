import type { DesiredLoadBalancer, DesiredMember } from '../../../features/load-balancers/port.ts';

/** Why nothing may connect to an address and port, or null. */
type FaultOf = (address: string, port: number) => string | null;

/** Members that engines may not connect to. The API refuses them; those that were there before the setting, or
 *  before a program of this cloud got their port, are found here, and get no traffic and no checks. */
export class RefusedMembers {
  readonly #faultOf: FaultOf;
  readonly #log: { warn(details: object, message: string): void };
  /** Load balancer → those that were refused in it last. */
  readonly #out = new Map<string, string>();

  constructor(faultOf: FaultOf, log: { warn(details: object, message: string): void }) {
    this.#faultOf = faultOf;
    this.#log = log;
  }

  /** @returns what may be served: those members are switched off in it */
  withoutRefused(desired: DesiredLoadBalancer): DesiredLoadBalancer {
    const refused = this.#refusedOf(desired);
    const isNews = this.#out.get(desired.id) !== keyOf(refused);
    this.#out.set(desired.id, keyOf(refused));
    if (refused.size === 0) return desired;
    for (const [member, reason] of isNews ? refused : []) {
      this.#log.warn({ loadBalancer: desired.id, member }, `a member gets no traffic: ${reason}`);
    }
    const pools = desired.pools.map((pool) => ({
      ...pool,
      members: pool.members.map((each) => (refused.has(each.id) ? { ...each, adminStateUp: false } : each)),
    }));
    return { ...desired, pools };
  }

  /** Whether that was done since the start, before which the setting may have been another one. */
  hasJudged(loadBalancer: string): boolean {
    return this.#out.has(loadBalancer);
  }

  forget(loadBalancer: string): void {
    this.#out.delete(loadBalancer);
  }

  #refusedOf(desired: DesiredLoadBalancer): ReadonlyMap<string, string> {
    const own = new Set([desired.vipAddress, ...desired.extraAddresses]);
    const faultOf: FaultOf = (address, port) =>
      own.has(address) ? `${address} is an address of this load balancer` : this.#faultOf(address, port);
    const members = desired.pools.flatMap((pool) => pool.members);
    return new Map(
      members.flatMap((member) => {
        const fault = faultOfMember(member, faultOf);
        return fault === null ? [] : [[member.id, fault] as const];
      }),
    );
  }
}

/** The same text for the same members. */
const keyOf = (refused: ReadonlyMap<string, string>): string => [...refused.keys()].sort().join(' ');

function faultOfMember(
  { address, port, monitorAddress, monitorPort }: DesiredMember,
  faultOf: FaultOf,
): string | null {
  const fault = faultOf(address, port);
  if (fault !== null || (monitorAddress === null && monitorPort === null)) return fault;
  return faultOf(monitorAddress ?? address, monitorPort ?? port);
}
