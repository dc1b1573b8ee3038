import type { DesiredNow } from '../../../kernel/desired.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import { hostsOf, parseRange } from '../../../kernel/ip.ts';
import type { Operation, Progress } from '../../../kernel/operation.ts';
import { READY } from '../../../kernel/operation.ts';
import type { AddressProvider, AddressSource } from '../../networking/addresses/index.ts';
import type {
  DesiredLoadBalancer,
  LastCheck,
  ListenerStats,
  LoadBalancerProvider,
  LoadBalancerVersion,
  MemberHealth,
  ObservedLoadBalancer,
  Usage,
} from '../port.ts';

/** A data plane with its addresses, in memory, that tests can look into, slow down, break and kill. */
export class FakeProvider implements LoadBalancerProvider, AddressProvider {
  readonly served = new Map<string, DesiredLoadBalancer>();
  readonly members = new Map<string, MemberHealth>();
  readonly lastChecks = new Map<string, LastCheck>();
  readonly stats = new Map<string, ListenerStats>();
  readonly used = new Map<string, Usage>();
  readonly calls: string[] = [];
  /** Answers of the next applies; after that they are ready. */
  progress: (Progress | Error)[] = [];
  removeError: Error | undefined;
  reason: string | null = null;
  /** Why it cannot serve IPv6; null: it can. */
  withoutIpv6: string | null = null;
  /** Runs inside `reconcile`, once it knows which load balancers there are. */
  duringReconcile: () => Promise<void> = async () => {};
  #nextAddress = 1;

  async unavailable(): Promise<string | null> {
    return this.reason;
  }

  async ipv6Fault(): Promise<string | null> {
    return this.withoutIpv6;
  }

  async allocateAddress(inUse: ReadonlySet<string>, _id?: string, within?: AddressSource): Promise<string> {
    const range = within && parseRange(within.cidr);
    for (const host of range ? hostsOf(range) : []) {
      if (host !== within?.gateway && !inUse.has(host)) return host;
    }
    for (;;) {
      const address = `127.99.0.${this.#nextAddress++}`;
      if (!inUse.has(address)) return address;
    }
  }

  allocateFloatingAddress(inUse: ReadonlySet<string>): Promise<string> {
    return this.allocateAddress(inUse);
  }

  async changeAddress(operation: Operation): Promise<Progress> {
    this.calls.push(operation.type);
    const next = this.progress.shift() ?? READY;
    if (next instanceof Error) throw next;
    return next;
  }

  async apply(desired: DesiredLoadBalancer, operation: Operation): Promise<Progress> {
    this.calls.push(`apply ${operation.type} v${desired.version}`);
    const next = this.progress.shift() ?? READY;
    if (next instanceof Error) throw next;
    if (next.ready) this.served.set(desired.id, desired);
    return next;
  }

  async remove(id: string, operation: Operation): Promise<Progress> {
    this.calls.push(`remove ${operation.type}`);
    if (this.removeError) throw this.removeError;
    this.served.delete(id);
    return READY;
  }

  async observe(ids: readonly string[]): Promise<ReadonlyMap<string, ObservedLoadBalancer>> {
    const entries = ids.flatMap((id) => {
      const served = this.served.get(id);
      if (!served) return [];
      const stats = served.listeners.flatMap(({ id: listener }) => {
        const counted = this.stats.get(listener);
        return counted ? [[listener, counted] as const] : [];
      });
      const { members, lastChecks } = this;
      return [[id, { version: served.version, members, lastChecks, listenerStats: new Map(stats) }] as const];
    });
    return new Map(entries);
  }

  async usage(ids: readonly string[]): Promise<ReadonlyMap<string, Usage>> {
    const entries = ids.flatMap((id) => {
      const used = this.used.get(id);
      return used ? [[id, used] as const] : [];
    });
    return new Map(entries);
  }

  async reconcile(
    versions: readonly LoadBalancerVersion[],
    desired: DesiredNow<DesiredLoadBalancer>,
  ): Promise<void> {
    await this.duringReconcile();
    for (const id of new Set([...versions.map((each) => each.id), ...this.served.keys()])) {
      const each = await desired(id);
      if (each === null) this.served.delete(id);
      else if (each) this.served.set(id, each);
    }
  }
}

export const failing = (reason: string) => new TaskFailed(reason);
