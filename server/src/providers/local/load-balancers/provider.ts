import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type {
  AccessLogFilter,
  AccessLogSeen,
  DesiredLoadBalancer,
  LoadBalancerVersion,
  ObservedLoadBalancer,
  Usage,
} from '../../../features/load-balancers/port.ts';
import type { DesiredNow } from '../../../kernel/desired.ts';
import { readJson } from '../../../kernel/files.ts';
import type { Leftover } from '../../../kernel/leftover.ts';
import { type Operation, type Progress, READY } from '../../../kernel/operation.ts';
import { type MemberNetworks, memberNetworks } from '../addresses/member-networks.ts';
import type { LocalAddresses } from '../addresses/provider.ts';
import { engineRoot } from '../host/engine-root.ts';
import { makePassage } from '../host/files.ts';
import { NotOwner } from '../host/owner-fence.ts';
import { engineAccount, ownCapabilities } from '../host/privileges.ts';
import { connectionCeiling, findProgram } from '../host/programs.ts';
import { identifier } from '../host/quoting.ts';
import { type Fence, type Programs, Reconciler } from '../host/reconciler.ts';
import { eachAtMost } from '../host/serial.ts';
import { endStrays } from '../host/strays.ts';
import { readAccessLog } from './access-logs/read.ts';
import { LogShipping } from './access-logs/shipping.ts';
import { aliasHint, bindFailure } from './bind-probe.ts';
import type { CloseMode, LocalLoadBalancers, LocalLoadBalancersOptions } from './options.ts';
import { makeSocketDirectory, type Paths, pathsOf } from './paths.ts';
import { patternFault } from './patterns.ts';
import { RefusedMembers } from './refused-members.ts';
import { LoadBalancerServer, type ServerContext } from './server.ts';
import type { SavedState } from './state.ts';

export type { CloseMode, LocalLoadBalancers, LocalLoadBalancersOptions } from './options.ts';

const LOOK_EVERY_MS = 1_000;
const SIDE_BY_SIDE = 4;
const FAILOVER = 'failover_loadbalancer';
const NO_FENCE: Fence = { isOwner: true, hold: (change) => change() };

/** Load balancers as HAProxy processes on loopback addresses of this machine. */
export function createLocalLoadBalancers(options: LocalLoadBalancersOptions): LocalLoadBalancers {
  return new Provider(options);
}

class Provider implements LocalLoadBalancers {
  readonly folder = 'load-balancers';
  readonly #options: LocalLoadBalancersOptions;
  readonly #root: string;
  readonly #fence: Fence;
  readonly #reconciler: Reconciler;
  readonly #servers = new Map<string, LoadBalancerServer>();
  readonly #addresses: LocalAddresses;
  readonly #sockets: string;
  readonly #logs: LogShipping;
  readonly #networks: MemberNetworks;
  readonly #refused: RefusedMembers;
  #closed = false;

  constructor(options: LocalLoadBalancersOptions) {
    this.#options = options;
    this.#root = engineRoot(join(options.dataDir, this.folder));
    makePassage(this.#root);
    this.#sockets = makeSocketDirectory(this.#root);
    this.#fence = options.fence ?? NO_FENCE;
    this.#reconciler = new Reconciler(this.#fence);
    this.#addresses = options.addresses;
    this.#networks = options.memberNetworks ?? memberNetworks('');
    this.#refused = new RefusedMembers((address, port) => this.memberFault(address, port), options.log);
    this.#logs = new LogShipping({
      collectorOf: (regionId) => options.collectorOf?.(regionId),
      pathsOf: (id) => this.#paths(id),
      log: options.log,
    });
    this.#reconciler.supervise({
      everyMs: LOOK_EVERY_MS,
      due: () => this.#servers.keys(),
      look: (id) => this.#lookAfter(id),
      failed: (id, error) => this.#warn(id, 'watch', error),
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
    return this.#addresses.externalFault();
  }

  async patternFault(pattern: string): Promise<string | null> {
    const program = findProgram('haproxy');
    return program === null ? null : patternFault(program, this.#root, pattern);
  }

  addresses(): readonly string[] {
    return [...this.#servers.values()].flatMap(({ addresses }) => addresses);
  }

  sendsTo(address: string): boolean {
    return [...this.#servers.values()].some((server) => server.sendsTo(address));
  }

  memberFault(address: string, port: number): string | null {
    if (this.addresses().includes(address))
      return `${address} port ${port} cannot be used: it is an address of a load balancer`;
    return this.#networks.faultOf(address, port);
  }

  async apply(desired: DesiredLoadBalancer, operation: Operation): Promise<Progress> {
    const failover = operation.type === FAILOVER ? operation.key : null;
    await this.#reconciler.change(desired.id, () => this.#apply(desired, failover));
    return READY;
  }

  async readLog(id: string, filter: AccessLogFilter): Promise<AccessLogSeen | null> {
    return readAccessLog(this.#paths(id).accessLog, filter);
  }

  async remove(id: string, _operation: Operation): Promise<Progress> {
    await this.#reconciler.change(id, () => this.#remove(id));
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

  async reconcile(
    versions: readonly LoadBalancerVersion[],
    desired: DesiredNow<DesiredLoadBalancer>,
  ): Promise<void> {
    await this.#fence.hold(() => this.#addresses.removeAbandoned(() => this.#noted()));
    for (const id of this.#homes()) this.#server(id);
    const listed = new Map(versions.map(({ id, version }) => [id, version]));
    const all = new Set([...listed.keys(), ...this.#servers.keys()]);
    const due = [...all].filter((id) => !this.#serves(id, listed.get(id)));
    await this.#reconciler.reconcile<DesiredLoadBalancer, void>(due, SIDE_BY_SIDE, {
      desired,
      look: (each) => this.#apply(each, null),
      gone: (id) => this.#remove(id),
      failed: (id, error) => this.#warn(id, 'reconcile', error),
    });
    await this.#fence.hold(() =>
      endStrays(this.#root, ({ pid, home, words }) => {
        const belongs = this.#reconciler.isBusy(home) || this.#servers.get(home)?.pids().includes(pid);
        return isDaemon(words) && !belongs;
      }),
    );
  }

  kept = (): readonly Leftover[] => this.#homes().map((id) => ({ kind: 'load_balancer', id, creator: null }));

  /** What is here is made again from the database. */
  hasData = (): boolean => false;

  clear = (id: string): Promise<void> => this.#reconciler.alone(id, () => this.#remove(id));

  release = (programs: Programs): Promise<void> => this.#release(programs);

  async close(mode: CloseMode): Promise<void> {
    this.#closed = true;
    await this.#reconciler.close(mode, (kept) => this.#release(kept));
  }

  async #release(mode: CloseMode): Promise<void> {
    await this.#reconciler.idle();
    if (mode !== 'leave') for (const id of this.#homes()) this.#server(id);
    await eachAtMost(SIDE_BY_SIDE, [...this.#servers.values()], async (server) => {
      if (mode === 'leave') server.disconnect();
      else if (mode === 'stop') await server.stop();
      else await server.remove(() => this.#logs.leave(server.id));
    });
    await this.#logs.close();
    this.#servers.clear();
  }

  async #apply(desired: DesiredLoadBalancer, failover: string | null): Promise<void> {
    await this.#addresses.removeAbandoned(() => this.#noted());
    const isNew = !this.#servers.has(desired.id) && !existsSync(this.#paths(desired.id).directory);
    const server = this.#server(desired.id);
    try {
      if (desired.accessLog) await this.#logs.follow(desired);
      await server.apply(this.#refused.withoutRefused(desired), failover);
      if (!desired.accessLog) await this.#logs.leave(desired.id);
    } catch (error) {
      if (isNew) await this.#remove(desired.id);
      throw error;
    }
    this.#addresses.settle([desired.vipAddress, ...desired.extraAddresses]);
  }

  async #remove(id: string): Promise<void> {
    if (!this.#servers.has(id) && !existsSync(this.#paths(id).directory)) return;
    await this.#server(id).remove(() => this.#logs.leave(id));
    this.#servers.delete(id);
    this.#refused.forget(id);
  }

  /** Whether it serves a version, by what this process has seen itself: before it there may have been other settings. */
  #serves(id: string, version: number | undefined): boolean {
    return (
      version !== undefined && this.#refused.hasJudged(id) && this.#servers.get(id)?.serves(version) === true
    );
  }

  /** Brings back what died, and does the small work of each load balancer. */
  async #lookAfter(id: string): Promise<void> {
    const server = this.#servers.get(id);
    if (!server) return;
    if (await server.revive())
      this.#options.log.warn({ loadBalancer: id }, 'what a load balancer had lost is back');
    await server.housekeep();
  }

  /** The load balancer, also one that an earlier server left behind. */
  #known(id: string): LoadBalancerServer | null {
    const isLeftOver = () => !this.#closed && existsSync(this.#paths(id).state);
    return this.#servers.get(id) ?? (isLeftOver() ? this.#server(id) : null);
  }

  #paths(id: string): Paths {
    return pathsOf(this.#root, this.#sockets, identifier(id));
  }

  #server(id: string): LoadBalancerServer {
    const server = this.#servers.get(id) ?? new LoadBalancerServer(id, this.#paths(id), this.#context());
    this.#servers.set(id, server);
    return server;
  }

  #passVerdictsOn(id: string): void {
    this.#reconciler
      .change(id, async () => this.#servers.get(id)?.passVerdictsOn())
      .catch((error: unknown) => this.#warn(id, 'health', error));
  }

  #context(): ServerContext {
    const mayLock = engineAccount() !== undefined && ownCapabilities(['sys_chroot']).length > 0;
    const chroot = mayLock && findProgram('setpriv') !== null ? join(this.#root, 'empty') : null;
    if (chroot) mkdirSync(chroot, { recursive: true, mode: 0o755 });
    return {
      program: findProgram('haproxy') ?? 'haproxy',
      addresses: this.#addresses,
      now: () => performance.timeOrigin + performance.now(),
      onVerdict: (id) => this.#passVerdictsOn(id),
      environment: {
        chroot,
        cpuCount: availableParallelism(),
        connectionCeiling: connectionCeiling(),
      },
    };
  }

  #warn(id: string | undefined, what: string, error: unknown): void {
    const { instanceId, log } = this.#options;
    if (this.#closed || error instanceof NotOwner) return;
    log.warn({ err: error, loadBalancer: id, instanceId }, `load balancer: ${what} failed`);
  }

  /** Load balancers that have a home, whether they run or not. */
  #homes(): string[] {
    return readdirSync(this.#root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(this.#root, entry.name, 'state.json')))
      .map(({ name }) => name);
  }

  /** Addresses that load balancers are noted to have, also those that were not looked at yet. */
  #noted(): string[] {
    return this.#homes().flatMap((id) => readJson<SavedState>(this.#paths(id).state)?.addresses ?? []);
  }
}

/** Whether a program carries traffic: what only judges a configuration ends by itself. */
function isDaemon(words: readonly string[]): boolean {
  const [program = ''] = words;
  return program.startsWith('nginx: master') || (/haproxy$/.test(program) && words.includes('-D'));
}
