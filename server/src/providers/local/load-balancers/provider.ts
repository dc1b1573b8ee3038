import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type {
  AccessLogFilter,
  AccessLogSeen,
  DesiredLoadBalancer,
  ObservedLoadBalancer,
  Usage,
} from '../../../features/load-balancers/port.ts';
import { readJson } from '../../../kernel/files.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import { type MemberNetworks, memberNetworks } from '../addresses/member-networks.ts';
import type { LocalAddresses } from '../addresses/provider.ts';
import { engineRoot } from '../host/engine-root.ts';
import { makePassage } from '../host/files.ts';
import { NotOwner } from '../host/owner-fence.ts';
import { engineAccount, ownCapabilities } from '../host/privileges.ts';
import { connectionCeiling, findProgram, hurried } from '../host/programs.ts';
import { identifier } from '../host/quoting.ts';
import { eachAtMost, Serial } from '../host/serial.ts';
import { endStrays } from '../host/strays.ts';
import { readAccessLog } from './access-logs/read.ts';
import { LogShipping } from './access-logs/shipping.ts';
import { aliasHint, bindFailure } from './bind-probe.ts';
import { Instance, type InstanceContext } from './instance.ts';
import type { CloseMode, LocalLoadBalancers, LocalLoadBalancersOptions } from './options.ts';
import { instancePaths, makeSocketDirectory } from './paths.ts';
import { patternFault } from './patterns.ts';
import { RefusedMembers } from './refused-members.ts';
import type { InstanceState } from './state.ts';

export type { CloseMode, LocalLoadBalancers, LocalLoadBalancersOptions } from './options.ts';

const LOOK_EVERY_MS = 1_000;
/** A list of what is desired may be this much older than the newest order that was carried out. */
const GRACE_MS = 60_000;
const SIDE_BY_SIDE = 4;
const FAILOVER = 'failover_loadbalancer';
const NO_FENCE = { isOwner: true, hold: <T>(change: () => Promise<T>) => change() };

/** Load balancers as HAProxy processes on loopback addresses of this machine. */
export function createLocalLoadBalancers(options: LocalLoadBalancersOptions): LocalLoadBalancers {
  return new Provider(options);
}

class Provider implements LocalLoadBalancers {
  readonly #options: LocalLoadBalancersOptions;
  readonly #root: string;
  readonly #serial = new Serial();
  readonly #instances = new Map<string, Instance>();
  readonly #removedAt = new Map<string, number>();
  readonly #appliedAt = new Map<string, number>();
  readonly #addresses: LocalAddresses;
  readonly #fence: NonNullable<LocalLoadBalancersOptions['fence']>;
  readonly #sockets: string;
  readonly #logs: LogShipping;
  readonly #networks: MemberNetworks;
  readonly #refused: RefusedMembers;
  #watch: NodeJS.Timeout | undefined;
  #foundLeftovers = false;
  #closed = false;

  constructor(options: LocalLoadBalancersOptions) {
    this.#options = options;
    this.#root = engineRoot(join(options.dataDir, 'load-balancers'));
    makePassage(this.#root);
    this.#sockets = makeSocketDirectory(this.#root);
    this.#fence = options.fence ?? NO_FENCE;
    this.#addresses = options.addresses;
    this.#networks = options.memberNetworks ?? memberNetworks('');
    this.#refused = new RefusedMembers((address, port) => this.memberFault(address, port), options.log);
    this.#logs = new LogShipping({
      collectorOf: (regionId) => options.collectorOf?.(regionId),
      pathsOf: (id) => instancePaths(this.#root, this.#sockets, identifier(id)),
      log: options.log,
    });
  }

  async unavailable(): Promise<string | null> {
    if (findProgram('haproxy') === null) {
      return 'HAProxy is not installed on this machine: install the Debian package "haproxy".';
    }
    const probe = { address: '127.77.0.1', port: 0, transport: 'tcp' } as const;
    if ((await bindFailure(probe)) === 'EADDRNOTAVAIL') {
      return `This machine does not answer on 127.77.0.0/16${aliasHint(probe.address)}`;
    }
    return null;
  }

  async patternFault(pattern: string): Promise<string | null> {
    const program = findProgram('haproxy');
    return program === null ? null : patternFault(program, this.#root, pattern);
  }

  addresses(): readonly string[] {
    return [...this.#instances.values()].flatMap(({ addresses }) => addresses);
  }

  memberFault(address: string, port: number): string | null {
    if (this.addresses().includes(address))
      return `${address} port ${port} cannot be used: it is an address of a load balancer`;
    return this.#networks.faultOf(address, port);
  }

  async apply(desired: DesiredLoadBalancer, operation: Operation): Promise<Progress> {
    this.#removedAt.delete(desired.id);
    const failover = operation.type === FAILOVER ? operation.key : null;
    await this.#change(desired.id, () => this.#apply(desired, failover));
    return READY;
  }

  async readLog(id: string, filter: AccessLogFilter): Promise<AccessLogSeen | null> {
    return readAccessLog(instancePaths(this.#root, this.#sockets, identifier(id)).accessLog, filter);
  }

  async remove(id: string, _operation: Operation): Promise<Progress> {
    this.#removedAt.set(id, this.#now());
    await this.#change(id, () => this.#remove(id));
    return READY;
  }

  async observe(ids: readonly string[]): Promise<ReadonlyMap<string, ObservedLoadBalancer>> {
    const observed = new Map<string, ObservedLoadBalancer>();
    await Promise.all(
      ids.map(async (id) => {
        const found = await this.#known(id)
          ?.observe()
          .catch(() => null);
        if (found) observed.set(id, found);
      }),
    );
    return observed;
  }

  async usage(ids: readonly string[]): Promise<ReadonlyMap<string, Usage>> {
    const entries = ids.flatMap((id) => {
      const usage = this.#known(id)?.usage();
      return usage ? [[id, usage] as const] : [];
    });
    return new Map(entries);
  }

  async reconcile(desired: readonly DesiredLoadBalancer[]): Promise<void> {
    await this.#fence.hold(() => this.#addresses.removeAbandoned(() => this.#noted()));
    if (!this.#foundLeftovers) {
      this.#foundLeftovers = true;
      for (const id of this.#leftovers()) this.#instance(id);
    }
    const requested = new Set(desired.map(({ id }) => id));
    await eachAtMost(SIDE_BY_SIDE, [...this.#instances.keys()], async (id) => {
      if (!requested.has(id) && !this.#isRecent(this.#appliedAt.get(id))) {
        await this.#attempt(id, 'remove', () => this.#change(id, () => this.#remove(id)));
      }
    });
    await eachAtMost(SIDE_BY_SIDE, desired, async (each) => {
      if (this.#removedAt.has(each.id) || this.#serial.isBusy(each.id)) return;
      await this.#attempt(each.id, 'reconcile', () => this.#change(each.id, () => this.#repair(each)));
    });
    await this.#fence.hold(() =>
      endStrays(this.#root, ({ pid, home, words }) => {
        const belongs = this.#serial.isBusy(home) || this.#instances.get(home)?.pids().includes(pid);
        return isDaemon(words) && !belongs;
      }),
    );
    this.#forgetOldNotes();
  }

  async release(programs: 'leave' | 'stop'): Promise<void> {
    await this.#serial.idle();
    await this.#end(programs);
    this.#removedAt.clear();
    this.#appliedAt.clear();
    this.#foundLeftovers = false;
  }

  async close(mode: CloseMode): Promise<void> {
    this.#closed = true;
    await hurried(this.#serial.idle());
    // What another process owns is for that one to stop.
    if (this.#fence.isOwner) await this.#fence.hold(() => this.#end(mode)).catch(unlessLost);
    else await this.#end('leave');
  }

  async #end(mode: CloseMode): Promise<void> {
    clearTimeout(this.#watch);
    this.#watch = undefined;
    if (mode !== 'leave') for (const id of this.#leftovers()) this.#instance(id);
    await eachAtMost(SIDE_BY_SIDE, [...this.#instances.values()], async (instance) => {
      if (mode === 'leave') instance.disconnect();
      else if (mode === 'stop') await instance.stop();
      else await instance.remove(() => this.#logs.leave(instance.id));
    });
    await this.#logs.close();
    this.#instances.clear();
  }

  /** One change after the other for each load balancer, and none when another process owns the region.
   *  @throws NotOwner */
  #change(id: string, action: () => Promise<void>): Promise<void> {
    return this.#fence.hold(() => this.#serial.run(id, action));
  }

  async #apply(desired: DesiredLoadBalancer, failover: string | null): Promise<void> {
    if (this.#closed) throw new Error('the provider is closed');
    await this.#addresses.removeAbandoned(() => this.#noted());
    const known = this.#instances.has(desired.id) || existsSync(join(this.#root, desired.id));
    const instance = this.#instance(desired.id);
    if (desired.version < instance.version) return;
    try {
      if (desired.accessLog) await this.#logs.follow(desired);
      await instance.apply(this.#refused.withoutRefused(desired), failover);
      if (!desired.accessLog) await this.#logs.leave(desired.id);
    } catch (error) {
      if (!known) {
        await instance.remove(() => this.#logs.leave(desired.id));
        this.#instances.delete(desired.id);
      }
      throw error;
    }
    this.#appliedAt.set(desired.id, this.#now());
    this.#addresses.settle([desired.vipAddress, ...desired.extraAddresses]);
  }

  /** A list made before the newest order must not revert that order. */
  async #repair(desired: DesiredLoadBalancer): Promise<void> {
    const served = this.#instances.get(desired.id);
    const isSame = served?.version === desired.version && served.isServing();
    if (isSame && this.#refused.hasJudged(desired.id)) return this.#logs.follow(desired);
    await this.#apply(desired, null);
  }

  async #remove(id: string): Promise<void> {
    const known = this.#instances.has(id) || existsSync(join(this.#root, identifier(id)));
    if (!known) return;
    await this.#instance(id).remove(() => this.#logs.leave(id));
    this.#instances.delete(id);
    this.#appliedAt.delete(id);
    this.#refused.forget(id);
  }

  /** The load balancer, also one that an earlier server left behind. */
  #known(id: string): Instance | null {
    const isLeftOver = () => !this.#closed && existsSync(join(this.#root, identifier(id), 'state.json'));
    return this.#instances.get(id) ?? (isLeftOver() ? this.#instance(id) : null);
  }

  #instance(id: string): Instance {
    const existing = this.#instances.get(id);
    if (existing) return existing;
    const paths = instancePaths(this.#root, this.#sockets, identifier(id));
    const instance = new Instance(id, paths, this.#context());
    this.#instances.set(id, instance);
    this.#watch ??= setTimeout(() => this.#look(), LOOK_EVERY_MS).unref();
    return instance;
  }

  #passVerdictsOn(id: string): void {
    void this.#attempt(id, 'health', () =>
      this.#change(id, async () => {
        if (!this.#closed) await this.#instances.get(id)?.passVerdictsOn();
      }),
    );
  }

  #context(): InstanceContext {
    const mayLock = engineAccount() !== undefined && ownCapabilities(['sys_chroot']).length > 0;
    const chroot = mayLock && findProgram('setpriv') !== null ? join(this.#root, 'empty') : null;
    if (chroot) mkdirSync(chroot, { recursive: true, mode: 0o755 });
    return {
      program: findProgram('haproxy') ?? 'haproxy',
      claims: this.#addresses.claims,
      now: () => performance.timeOrigin + performance.now(),
      onVerdict: (id) => this.#passVerdictsOn(id),
      environment: {
        chroot,
        cpuCount: availableParallelism(),
        connectionCeiling: connectionCeiling(),
      },
    };
  }

  /** Every second: bring back what died, and the small work of each load balancer. */
  async #look(): Promise<void> {
    await this.#attempt(undefined, 'watch', () => this.#fence.hold(() => this.#lookAtAll()));
    if (!this.#closed && this.#watch) this.#watch = setTimeout(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  async #lookAtAll(): Promise<void> {
    for (const [id, instance] of this.#instances) {
      if (this.#closed) return;
      if (this.#serial.isBusy(id)) continue;
      await this.#attempt(id, 'watch', () =>
        this.#serial.run(id, async () => {
          if (this.#instances.get(id) !== instance || this.#closed) return;
          if (await instance.revive())
            this.#options.log.warn({ loadBalancer: id }, 'what a load balancer had lost is back');
          await instance.housekeep();
        }),
      );
    }
  }

  async #attempt(id: string | undefined, what: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      const { instanceId, log } = this.#options;
      if (error instanceof NotOwner) return;
      log.warn({ err: error, loadBalancer: id, instanceId }, `load balancer: ${what} failed`);
    }
  }

  #leftovers(): string[] {
    return readdirSync(this.#root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(this.#root, entry.name, 'state.json')))
      .map(({ name }) => name);
  }

  /** Addresses that load balancers are noted to have, also those that were not looked at yet. */
  #noted(): string[] {
    return this.#leftovers().flatMap((id) => {
      const { state } = instancePaths(this.#root, this.#sockets, identifier(id));
      return readJson<InstanceState>(state)?.addresses ?? [];
    });
  }

  #isRecent(since: number | undefined): boolean {
    return since !== undefined && this.#now() - since < GRACE_MS;
  }

  #forgetOldNotes(): void {
    for (const [id, since] of this.#removedAt) {
      if (!this.#isRecent(since)) this.#removedAt.delete(id);
    }
  }

  #now(): number {
    return (this.#options.clock ?? (() => performance.now()))();
  }
}

/** Whether a program carries traffic: what only judges a configuration ends by itself. */
function isDaemon(words: readonly string[]): boolean {
  const [program = ''] = words;
  return program.startsWith('nginx: master') || (/haproxy$/.test(program) && words.includes('-D'));
}

/** Who has lost the region finds out by itself. */
function unlessLost(error: unknown): void {
  if (!(error instanceof NotOwner)) throw error;
}
