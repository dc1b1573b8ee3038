import { rmSync } from 'node:fs';
import type { DesiredLoadBalancer, ObservedLoadBalancer } from '../../../features/load-balancers/port.ts';
import type { AddressClaims } from './address-claims.ts';
import { type Endpoint, requireFree } from './bind-probe.ts';
import { render } from './config/render.ts';
import { addressesOf, listenerName, type RenderEnvironment, type Rendering } from './config/rendering.ts';
import { Counters, readListeners, type SavedCounters } from './counters.ts';
import { Draining } from './draining.ts';
import { makePrivateDirectory, readJson, writeFileAtomically } from './files.ts';
import { runningProcess, startProcess } from './haproxy.ts';
import { memberHealth } from './health.ts';
import { applyLiveChanges, deleteDeparted, endSessionsOf, planLiveChanges } from './live-changes.ts';
import type { InstancePaths } from './paths.ts';
import { choosePeersPort, waitUntilListening } from './ports.ts';
import { isAlive, type ProcessIdentity, processKey, terminate } from './processes.ts';
import { RuntimeSocket } from './runtime-socket.ts';
import { EMPTY_SERVER_STATE, serverStateFile } from './server-state.ts';
import { parseStat, SHOW_STAT } from './show-stat.ts';
import { isStaged, removeStaleFiles, stage } from './staging.ts';
import { digest, emptyState, fileDigests, type InstanceState } from './state.ts';

export interface InstanceContext {
  readonly program: string;
  readonly claims: AddressClaims;
  readonly environment: Omit<
    RenderEnvironment,
    'socketPath' | 'serverStatePath' | 'certificateDirectory' | 'peersPort'
  >;
}

/** The HAProxy process of one load balancer: its files, its life, its counters. Not safe for two calls
 *  at once, `observe` excepted; the caller puts them in a row. */
export class Instance {
  readonly id: string;
  readonly #paths: InstancePaths;
  readonly #context: InstanceContext;
  readonly #counters: Counters;
  readonly #draining: Draining;
  #state: InstanceState;
  #socket: RuntimeSocket;
  #departed: string[] = [];

  /** Takes over what an earlier server left behind, if there is anything. */
  constructor(id: string, paths: InstancePaths, context: InstanceContext) {
    this.id = id;
    this.#paths = paths;
    this.#context = context;
    this.#socket = new RuntimeSocket(paths.socket);
    this.#counters = new Counters(readJson<SavedCounters>(paths.statistics));
    const saved = readJson<InstanceState>(paths.state) ?? emptyState(id);
    const running = runningProcess(paths);
    // A server that died between the start of a process and its note: the pid file knows better.
    const known = saved.process && running && processKey(saved.process) === processKey(running);
    const replaced = saved.process && !known && isAlive(saved.process) ? [saved.process] : [];
    this.#draining = new Draining([...saved.draining, ...replaced].filter(isAlive));
    this.#state = { ...saved, process: running, changing: saved.changing || !known };
  }

  get version(): number {
    return this.#state.version;
  }

  get addresses(): readonly string[] {
    return this.#state.addresses;
  }

  /** Pids that belong to this load balancer. */
  pids(): number[] {
    return [...this.#draining.identities(), ...(this.#state.process ? [this.#state.process] : [])].map(
      ({ pid }) => pid,
    );
  }

  /** Whether what should run does run. */
  isHealthy(): boolean {
    return !this.#state.needed || this.#running() !== null;
  }

  /** Whether it serves its version, as far as can be seen without asking. */
  isServing(): boolean {
    return !this.#state.changing && this.isHealthy();
  }

  /** Converges to `desired`.
   *  @param failover key of a failover that replaces the process even if nothing has changed, or null
   *  @throws TaskFailed with a reason for the user; then the old configuration stays in force */
  async apply(desired: DesiredLoadBalancer, failover: string | null): Promise<void> {
    const before = this.#state;
    const peersPort = await choosePeersPort(desired, before.peersPort);
    const rendering = render(desired, this.#environment(peersPort));
    const after = stateAfter(before, desired, rendering, peersPort, failover);
    const replace = failover !== null && failover !== before.failover;
    const served = !before.changing && isStaged(this.#paths, rendering) && after.needed === before.needed;
    await this.#context.claims.require(after.addresses);
    if (served && !replace && (this.#running() || !after.needed)) {
      this.#save({ ...after, process: this.#running() });
      return;
    }
    await this.#requireNewPorts(rendering);
    const putBack = await stage(this.#context.program, this.#paths, rendering);
    this.#save({ ...this.#state, changing: true });
    try {
      await this.#serve(before, rendering, replace, after.logging);
    } catch (error) {
      putBack();
      throw error;
    }
    removeStaleFiles(this.#paths, rendering);
    this.#save({ ...after, process: this.#running(), draining: this.#draining.identities() });
    await waitUntilListening(rendering.binds);
  }

  /** Starts the process again from its files if it died. @returns whether it had */
  async revive(): Promise<boolean> {
    if (this.isHealthy() || this.#state.changing) return false;
    writeFileAtomically(this.#paths.serverState, EMPTY_SERVER_STATE);
    await this.#start(null, this.#state.logging);
    this.#save({ ...this.#state, process: this.#running() });
    return true;
  }

  /** What it says now, or null when it should run and does not. */
  async observe(): Promise<ObservedLoadBalancer | null> {
    const state = this.#state;
    const running = this.#running();
    if (state.needed && !running) return null;
    const lines = running ? parseStat(await this.#socket.command(SHOW_STAT)) : [];
    if (running) this.#counters.record(processKey(running), readListeners(lines, state.listenerIds));
    await this.#draining.poll(this.#counters, state.listenerIds);
    const members = memberHealth(state.backends, lines, new Set());
    for (const member of state.idleMembers) members.set(member, 'OFFLINE');
    return { version: state.version, members, listenerStats: this.#totals() };
  }

  /** The small work of every second: members that have left, predecessors that have ended, counters
   *  that would be lost in a crash. */
  async housekeep(): Promise<void> {
    if (this.#departed.length > 0 && this.#running()) {
      this.#departed = await deleteDeparted(this.#socket, this.#departed);
    }
    await this.#draining.poll(this.#counters, this.#state.listenerIds);
    this.#totals();
    const counters = this.#counters.takeChanges();
    if (counters) writeFileAtomically(this.#paths.statistics, JSON.stringify(counters));
  }

  /** Ends all processes; the files stay, so that a later start knows what was served. */
  async stop(): Promise<void> {
    if (this.#running()) await this.observe().catch(() => null);
    await this.#endProcesses();
    this.disconnect();
    if (this.#state.version === 0) return;
    this.#totals();
    const counters = this.#counters.takeChanges();
    if (counters) writeFileAtomically(this.#paths.statistics, JSON.stringify(counters));
    this.#save({ ...this.#state, process: null, draining: [] });
  }

  /** Ends all processes and removes every trace. */
  async remove(): Promise<void> {
    await this.#endProcesses();
    this.disconnect();
    rmSync(this.#paths.socket, { force: true });
    rmSync(this.#paths.directory, { recursive: true, force: true });
  }

  /** Lets go of the processes without touching them. */
  disconnect(): void {
    this.#socket.close();
    this.#draining.disconnect();
  }

  async #serve(
    before: InstanceState,
    rendering: Rendering,
    replace: boolean,
    logging: boolean,
  ): Promise<void> {
    const running = this.#running();
    if (!rendering.needed) return this.#endProcesses();
    const changes = running && !replace && !before.changing ? planLiveChanges(before, rendering) : null;
    if (changes && before.logging === logging && (await applyLiveChanges(this.#socket, changes))) {
      this.#departed = await deleteDeparted(this.#socket, [...this.#departed, ...changes.departed]);
      return;
    }
    await this.#reload(running, rendering, logging);
    const gone = before.listenerIds.filter(
      (id) => !rendering.binds.some(({ listenerId }) => listenerId === id),
    );
    if (running && gone.length > 0) await this.#endSessions(running, new Set(gone.map(listenerName)));
  }

  async #reload(running: ProcessIdentity | null, rendering: Rendering, logging: boolean): Promise<void> {
    this.#departed = [];
    const old = this.#socket;
    const dump = running ? await old.command('show servers state').catch(() => '') : '';
    writeFileAtomically(this.#paths.serverState, serverStateFile(dump, rendering.backends));
    // One that no longer answers cannot hand anything over.
    if (running && dump === '') await terminate(running);
    const predecessor = dump === '' ? null : running;
    await this.#start(predecessor, logging);
    if (predecessor) this.#draining.add(predecessor, old);
    else old.close();
  }

  async #start(predecessor: ProcessIdentity | null, logging: boolean): Promise<void> {
    makePrivateDirectory(this.#paths.directory);
    const { program } = this.#context;
    const started = await startProcess(program, this.#paths, predecessor, logging);
    this.#socket = new RuntimeSocket(this.#paths.socket);
    this.#state = { ...this.#state, process: started };
    await this.#socket.open();
  }

  async #endSessions(process: ProcessIdentity, frontends: ReadonlySet<string>): Promise<void> {
    const socket = this.#draining.socketOf(process);
    if (socket) await endSessionsOf(socket, frontends).catch(() => undefined);
  }

  async #endProcesses(): Promise<void> {
    const running = this.#running();
    if (running) await terminate(running);
    await this.#draining.end();
    this.#socket.close();
    this.#socket = new RuntimeSocket(this.#paths.socket);
    this.#state = { ...this.#state, process: null };
  }

  async #requireNewPorts(rendering: Rendering): Promise<void> {
    const running = this.#running() !== null;
    const key = ({ address, port, transport }: Endpoint) => `${transport} ${address} ${port}`;
    const bound = new Set(running ? this.#state.binds.map(key) : []);
    for (const bind of rendering.binds) {
      if (!bound.has(key(bind))) await requireFree(bind);
    }
  }

  #running(): ProcessIdentity | null {
    const { process } = this.#state;
    return process && isAlive(process) ? process : null;
  }

  #totals() {
    const running = this.#running();
    const alive = [...this.#draining.identities(), ...(running ? [running] : [])];
    this.#counters.keepOnly(new Set(alive.map(processKey)));
    return this.#counters.totals(this.#state.listenerIds);
  }

  #environment(peersPort: number): RenderEnvironment {
    return {
      ...this.#context.environment,
      socketPath: this.#paths.socket,
      serverStatePath: this.#paths.serverState,
      certificateDirectory: this.#paths.certificates,
      peersPort,
    };
  }

  #save(state: InstanceState): void {
    this.#state = state;
    makePrivateDirectory(this.#paths.directory);
    writeFileAtomically(this.#paths.state, JSON.stringify(state));
  }
}

function stateAfter(
  before: InstanceState,
  desired: DesiredLoadBalancer,
  rendering: Rendering,
  peersPort: number,
  failover: string | null,
): InstanceState {
  const served = new Set(
    rendering.backends.flatMap(({ servers }) => servers.map(({ memberId }) => memberId)),
  );
  const members = desired.pools.flatMap((pool) => pool.members.map(({ id }) => id));
  return {
    ...before,
    id: desired.id,
    version: desired.version,
    changing: false,
    skeleton: digest(rendering.skeleton),
    backends: rendering.backends,
    files: fileDigests(rendering),
    binds: rendering.binds,
    addresses: addressesOf(desired),
    needed: rendering.needed,
    peersPort,
    listenerIds: desired.listeners.map(({ id }) => id),
    idleMembers: members.filter((id) => !served.has(id)),
    logging: desired.accessLog !== null,
    failover: failover ?? before.failover,
  };
}
