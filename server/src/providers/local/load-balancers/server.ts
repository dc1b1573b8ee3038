import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type {
  DesiredLoadBalancer,
  ObservedLoadBalancer,
  Usage,
} from '../../../features/load-balancers/port.ts';
import { removeHome, separate } from '../../../kernel/engine-accounts.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readJson, removeFolder, writeFileAtomically } from '../../../kernel/files.ts';
import { processKey } from '../../../kernel/processes.ts';
import type { LocalAddresses } from '../addresses/provider.ts';
import { makeDirectoryForEngine } from '../host/files.ts';
import { logWritersEnded } from '../host/log-writer.ts';
import { rotateAccessLog } from './access-logs/file.ts';
import { type Endpoint, requireFreeOrOwn } from './bind-probe.ts';
import { render } from './config/render.ts';
import { listenerName, type RenderEnvironment, type Rendering } from './config/rendering.ts';
import { isWritten, removeStaleFiles, replaceConfiguration } from './configuration-files.ts';
import { Counters, type SavedCounters } from './counters.ts';
import { Engine } from './engine.ts';
import { ConfigurationRefused, objection } from './haproxy.ts';
import { membersSeen, udpHealth } from './health.ts';
import { LastChecks } from './last-checks.ts';
import { nextStep, type Observed, type Step } from './next.ts';
import type { Paths } from './paths.ts';
import { waitUntilListening } from './ports.ts';
import { requireProbePrograms } from './probes/probe.ts';
import { Prober } from './probes/prober.ts';
import { ResponseMeter } from './responses.ts';
import { emptyState, type SavedState, stateAfter } from './state.ts';
import { requireNginx, UdpPlane } from './udp/nginx.ts';
import { udpBinds } from './udp/plan.ts';
import { readSessions } from './udp/session-log.ts';
import { UsageMeter } from './usage.ts';

/** Writers of logs end when they have written what is in their pipe; on a busy machine one may not have begun yet. */
const LAST_LINES_MS = 30_000;

export interface ServerContext {
  readonly program: string;
  readonly addresses: Pick<LocalAddresses, 'claims' | 'add' | 'remove' | 'hasAll'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly environment: Omit<RenderEnvironment, 'socketPath' | 'serverStatePath' | 'certificateDirectory'>;
  /** Called when a probe has changed its verdict; `passVerdictsOn` is then due. */
  readonly onVerdict: (id: string) => void;
}

/** The data plane of one load balancer: its processes, files, probes and counters. Not safe for two
 *  calls at once, `observe` excepted; the caller puts them in a row. */
export class LoadBalancerServer {
  readonly id: string;
  readonly #paths: Paths;
  readonly #context: ServerContext;
  readonly #counters: Counters;
  readonly #engine: Engine;
  readonly #udp: UdpPlane;
  readonly #prober: Prober;
  readonly #usage = new UsageMeter();
  readonly #responses = new ResponseMeter();
  /** What HAProxy last got to know about each probed member (`backend/server`). */
  readonly #reported = new Map<string, boolean>();
  readonly #lastChecks = new LastChecks();
  #state: SavedState;

  /** Takes over what an earlier server left behind, if there is anything. */
  constructor(id: string, paths: Paths, context: ServerContext) {
    this.id = id;
    this.#paths = paths;
    this.#context = context;
    if (existsSync(paths.directory)) separate(paths.directory);
    this.#counters = new Counters(readJson<SavedCounters>(paths.statistics));
    const saved = readJson<SavedState>(paths.state) ?? emptyState(id);
    this.#engine = new Engine(context.program, paths, this.#counters, this.#responses, saved);
    const running = this.#engine.running();
    const known =
      running !== null && saved.process !== null && processKey(saved.process) === processKey(running);
    this.#state = { ...saved, changing: saved.changing || (running !== null && !known) };
    this.#udp = new UdpPlane(paths, context.environment.connectionCeiling);
    this.#udp.adopt(saved.udp, saved.logging);
    if (saved.changing) this.#udp.markUnsure();
    this.#prober = new Prober(() => context.onVerdict(id), context.now);
    this.#prober.watch(saved.probes);
  }

  get addresses(): readonly string[] {
    return this.#state.addresses;
  }

  /** Whether new requests may go to an IPv4 address. */
  sendsTo(address: string): boolean {
    const { backends, udp } = this.#state;
    return (
      backends.some(({ servers }) => servers.some((each) => each.address.startsWith(`ipv4@${address}:`))) ||
      udp.pools.some(({ members }) => members.some((each) => each.address === address))
    );
  }

  /** Pids that belong to this load balancer. */
  pids(): number[] {
    const all = [...this.#engine.draining(), this.#engine.running(), this.#udp.running()];
    return all.flatMap((identity) => (identity ? [identity.pid] : []));
  }

  /** What its processes use, or null where the system does not say. */
  usage(): Usage | null {
    const running = this.#engine.running();
    const used = this.#usage.read([
      ...this.#engine.draining(),
      ...(running ? [running] : []),
      ...this.#udp.processes(),
    ]);
    return used && { cpuMs: used.cpuMs, memoryBytes: used.memoryBytes, responses: this.#responses.read() };
  }

  /** Whether it serves this version, as far as can be seen without asking. */
  serves(version: number): boolean {
    const isCurrent = this.#state.version === version && !this.#state.changing && !this.#engine.isFormer;
    return isCurrent && this.#isAlive() && this.#context.addresses.hasAll(this.#state.addresses);
  }

  /** Converges to `desired`.
   *  @param failover key of a failover that replaces the process even if nothing has changed, or null
   *  @throws TaskFailed with a reason for the user; then the old configuration stays in force */
  async apply(desired: DesiredLoadBalancer, failover: string | null): Promise<void> {
    const rendering = render(desired, this.#environment());
    const after = stateAfter(this.#state, desired, rendering, failover);
    requireProbePrograms(after.probes);
    if (after.udp.listeners.length > 0) requireNginx();
    await this.#context.addresses.claims.require(after.addresses);
    await this.#withAddresses(after.addresses, () => this.#converge(rendering, after, failover));
  }

  async #converge(rendering: Rendering, after: SavedState, failover: string | null): Promise<void> {
    const before = this.#state;
    await this.#requireNewPorts([...rendering.binds, ...udpBinds(after.udp)]);
    const replace = failover !== null && (failover !== before.failover || before.changing);
    const step = nextStep(this.#observed(rendering), {
      rendering,
      logging: after.logging,
      replaces: replace,
    });
    if (step.kind !== 'nothing') await this.#serve(step, rendering, after.logging);
    const processes = { process: this.#engine.running(), draining: this.#engine.draining() };
    this.#save({ ...after, ...processes, changing: after.udp.listeners.length > 0 });
    this.#prober.watch(after.probes);
    this.#udp.adopt(after.udp, after.logging);
    if (replace) await this.#udp.failover();
    await this.passVerdictsOn();
    if (this.#state.changing) this.#save({ ...this.#state, changing: false });
    await this.#engine.pollDraining(after.listenerIds);
    this.#saveCounters();
    await waitUntilListening([...rendering.binds, ...udpBinds(after.udp)]);
  }

  /** Has these addresses while the action runs and once it has succeeded, and those that it had when it fails. */
  async #withAddresses(requested: readonly string[], action: () => Promise<void>): Promise<void> {
    const had = this.#state.addresses;
    await this.#context.addresses.add(requested);
    try {
      await action();
    } catch (error) {
      await this.#context.addresses.remove(requested.filter((address) => !had.includes(address)));
      throw error;
    }
    await this.#context.addresses.remove(had.filter((address) => !requested.includes(address)));
  }

  /** Starts again from their files what died, and adds again what was removed from an interface.
   *  @returns whether anything had to be done */
  async revive(): Promise<boolean> {
    const hadLost = await this.#context.addresses.add(this.#state.addresses);
    if (this.#isAlive()) return hadLost;
    if (this.#state.needed && !this.#engine.running()) {
      await this.#engine.start(this.#state.logging);
      this.#reported.clear();
    }
    await this.passVerdictsOn();
    this.#save({ ...this.#state, process: this.#engine.running() });
    return true;
  }

  /** What it says now, or null when it should run and does not. */
  async observe(): Promise<ObservedLoadBalancer | null> {
    const state = this.#state;
    if (!this.#isAlive()) return null;
    const { members, seen } = await this.#health();
    const lastChecks = this.#lastChecks.update(members, seen, this.#prober.verdicts(), this.#context.now());
    await this.#engine.pollDraining(state.listenerIds);
    return { version: state.version, members, lastChecks, listenerStats: this.#totals(true) };
  }

  /** The small work of every second: members that have left, predecessors that have ended, logs that
   *  have grown, counters that would be lost in a crash. */
  async housekeep(): Promise<void> {
    await this.#engine.deleteDeparted();
    await this.#engine.pollDraining(this.#state.listenerIds);
    const { logging, logRetentionDays: days } = this.#state;
    // A state that an older version wrote does not know of retention.
    const retention = typeof days === 'number' ? { days, now: this.#context.now() } : null;
    if (logging) rotateAccessLog(this.#paths.accessLog, undefined, retention);
    if (this.#udp.needed) {
      const read = readSessions(this.#paths.nginxSessions, this.#counters.sessionsRead);
      this.#counters.addSessions(read.counts, read.offset);
      await this.passVerdictsOn();
    }
    this.#saveCounters();
  }

  /** Reports to the data planes which members do not answer. */
  async passVerdictsOn(): Promise<void> {
    const down = this.#prober.down();
    if (this.#engine.running()) {
      for (const { name, servers } of this.#state.backends) {
        for (const server of servers) {
          if (server.probed) await this.#setHealth(`${name}/${server.name}`, !down.has(server.memberId));
        }
      }
    }
    await this.#udp.converge(await this.#unanswering(down));
  }

  /** Ends all processes; the files stay, so that a later start knows what was served. */
  async stop(): Promise<void> {
    await this.#engine.read(this.#state.listenerIds).catch(() => []);
    await this.#endAll();
    if (this.#state.version === 0) return;
    this.#saveCounters();
    this.#save({ ...this.#state, process: null, draining: [] });
  }

  /** Ends all processes and removes every trace.
   *  @param lastWords what to do once nothing is served any more, with the files still there */
  async remove(lastWords: () => Promise<void> = async () => undefined): Promise<void> {
    await this.#endAll();
    if (this.#state.logging) await logWritersEnded(this.#paths.accessLog, LAST_LINES_MS);
    await lastWords();
    await removeFolder(dirname(this.#paths.socket));
    await removeHome(this.#paths.directory);
  }

  /** Leaves the processes as they are. */
  disconnect(): void {
    this.#prober.stop();
    this.#engine.disconnect();
  }

  #observed(rendering: Rendering): Observed {
    return {
      state: this.#state,
      isRunning: this.#engine.running() !== null,
      isFormer: this.#engine.isFormer,
      isWritten: isWritten(this.#paths, rendering),
    };
  }

  async #serve(step: Step, rendering: Rendering, logging: boolean): Promise<void> {
    try {
      await this.#replaceFiles(step, rendering, logging);
    } catch (error) {
      if (!(error instanceof ConfigurationRefused)) throw error;
      throw new TaskFailed(objection(error.message, rendering.origins));
    }
    removeStaleFiles(this.#paths, rendering);
  }

  async #replaceFiles(step: Step, rendering: Rendering, logging: boolean): Promise<void> {
    const before = this.#state;
    const running = this.#engine.running();
    // First of all: who comes after a kill cannot see from files that are in place whether they are served.
    this.#save({ ...before, changing: true });
    let putBack = () => {};
    try {
      putBack = await replaceConfiguration(this.#context.program, this.#paths, rendering, running !== null);
    } catch (error) {
      this.#save(before);
      throw error;
    }
    try {
      await this.#take(step, before, rendering, logging);
    } catch (error) {
      putBack();
      const process = this.#engine.running();
      this.#save({ ...before, process, changing: process !== null });
      throw error;
    }
  }

  async #take(step: Step, before: SavedState, rendering: Rendering, logging: boolean): Promise<void> {
    if (step.kind === 'end') return this.#engine.end();
    const running = this.#engine.running();
    if (step.kind === 'change' && running && (await this.#engine.change(step.changes))) return;
    await this.#engine.reload(rendering.backends, logging);
    this.#reported.clear();
    const served = new Set(rendering.binds.map(({ listenerId }) => listenerId));
    const gone = before.binds.map(({ listenerId }) => listenerId).filter((id) => !served.has(id));
    if (running && gone.length > 0) await this.#engine.endSessions(running, new Set(gone.map(listenerName)));
  }

  async #health() {
    const { backends, idleMembers, listenerIds, udp } = this.#state;
    const seen = membersSeen(backends, await this.#engine.read(listenerIds));
    const members = new Map([...seen].map(([id, { health }]) => [id, health]));
    for (const [id, health] of udpHealth(udp, this.#prober.down())) {
      if (!members.has(id)) members.set(id, health);
    }
    for (const id of idleMembers) members.set(id, 'OFFLINE');
    return { members, seen };
  }

  /** Members of UDP pools that HAProxy or the prober found dead; nginx looks at none itself. */
  async #unanswering(probed: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const { udp } = this.#state;
    if (udp.listeners.length === 0) return probed;
    const health = await this.#health().catch(() => undefined);
    const dead = [...(health?.members ?? [])].flatMap(([id, verdict]) => (verdict === 'ERROR' ? [id] : []));
    return new Set([...probed, ...dead]);
  }

  async #setHealth(server: string, alive: boolean): Promise<void> {
    if (this.#reported.get(server) === alive) return;
    await this.#engine.command(`set server ${server} health ${alive ? 'up' : 'down'}`);
    this.#reported.set(server, alive);
  }

  async #requireNewPorts(binds: readonly Endpoint[]): Promise<void> {
    const key = ({ address, port, transport }: Endpoint) => `${transport} ${address} ${port}`;
    const bound = new Set([
      ...(this.#engine.running() ? this.#state.binds.map(key) : []),
      ...(this.#udp.running() ? udpBinds(this.#state.udp).map(key) : []),
    ]);
    const own = { config: this.#paths.config, running: this.#engine.running() };
    for (const bind of binds) if (!bound.has(key(bind))) await requireFreeOrOwn(bind, own);
  }

  #isAlive(): boolean {
    const { needed } = this.#state;
    return (
      (!needed || this.#engine.running() !== null) && (!this.#udp.needed || this.#udp.running() !== null)
    );
  }

  /** Counters per listener.
   *  @param sessions whether to count the open UDP sessions too, which needs a look at the kernel's list */
  #totals(sessions: boolean) {
    const alive = this.#engine.processKeys();
    this.#counters.keepOnly(alive);
    this.#responses.keepOnly(alive);
    const totals = this.#counters.totals(this.#state.listenerIds);
    if (!sessions || !this.#udp.needed) return totals;
    const open = this.#udp.sessions();
    for (const { id, poolId } of this.#state.udp.listeners) {
      const stats = totals.get(id);
      if (stats) totals.set(id, { ...stats, activeConnections: open.get(poolId ?? '') ?? 0 });
    }
    return totals;
  }

  #saveCounters(): void {
    if (!this.#counters.isChanged && this.#engine.draining().length === 0) return;
    this.#totals(false);
    const counters = this.#counters.drainChanges();
    if (counters) writeFileAtomically(this.#paths.statistics, JSON.stringify(counters));
  }

  async #endAll(): Promise<void> {
    this.#prober.stop();
    await this.#engine.end();
    await this.#udp.end();
    this.#engine.disconnect();
    await this.#context.addresses.remove(this.#state.addresses);
  }

  #environment(): RenderEnvironment {
    return {
      ...this.#context.environment,
      socketPath: this.#paths.socket,
      serverStatePath: this.#paths.serverState,
      certificateDirectory: this.#paths.certificates,
    };
  }

  #save(state: SavedState): void {
    this.#state = state;
    makeDirectoryForEngine(this.#paths.directory, this.#paths.directory);
    writeFileAtomically(this.#paths.state, JSON.stringify(state));
  }
}
