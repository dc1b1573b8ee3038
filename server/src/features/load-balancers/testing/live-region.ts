import { pino } from 'pino';
import { type MovableClock, movableClock } from '../../../../../test/harness/clock.ts';
import { type Reply, startTestServer, type TestServer } from '../../../../../test/harness/server.ts';
import { inRegion } from '../../../platform/http/context.ts';
import type { MetricsWindow } from '../../../platform/http/metrics-window.ts';
import { TaskEngine } from '../../../platform/tasks/engine.ts';
import type { Done, TaskHandler, Wait } from '../../../platform/tasks/handler.ts';
import { TaskWatcher } from '../../../platform/tasks/watch.ts';
import { TaskWatchdog } from '../../../platform/tasks/watchdog.ts';
import { instanceSummaries } from '../../instances/index.ts';
import { floatingIps } from '../../networking/floating-ips/index.ts';
import { networks } from '../../networking/networks/index.ts';
import { noTraffic } from '../../networking/networks/port.ts';
import { reservedFixedIps } from '../../networking/reserved-fixed-ips/index.ts';
import { routersOfNetworks } from '../../networking/routers/index.ts';
import { SecretReader } from '../../secrets/index.ts';
import { TaskReads } from '../../tasks/index.ts';
import { loadBalancerCarrier } from '../carrier.ts';
import { DataPlanes } from '../data-planes.ts';
import { countersForPrometheus } from '../metrics/prometheus.ts';
import { Sampler } from '../metrics/sampler.ts';
import { LoadBalancerMetrics } from '../metrics/service.ts';
import { Observer } from '../observe.ts';
import { HELD } from '../parts/kinds.ts';
import { Reconciler } from '../reconcile.ts';
import { loadBalancerTasks } from '../tasks/index.ts';
import { TreeCache } from '../tree-cache.ts';
import { FakeProvider } from './fake-provider.ts';

/** A test server without a worker, whose region 2 runs on a fake data plane: the test does the worker's part,
 *  step by step. */
export interface LiveRegion {
  readonly server: TestServer;
  readonly provider: FakeProvider;
  readonly reconciler: Reconciler;
  readonly observer: Observer;
  readonly sampler: Sampler;
  readonly watchdog: TaskWatchdog;
  /** The server's clock. */
  readonly clock: MovableClock;
  /** What a load balancer used, as the region's own data plane reported it. */
  metrics(id: string, window: MetricsWindow): ReturnType<LoadBalancerMetrics['read']>;
  /** What operators scrape. */
  counters(): Promise<string>;
  /** Runs the reply's task to its end, each step twice, as if a crash always came before the commit. */
  finished(reply: Reply): Promise<Ended>;
  /** Runs one step of the reply's task, and crashes before its outcome is written. */
  crashed(reply: Reply): Promise<void>;
  /** Runs one step of the reply's task. */
  stepped(reply: Reply): Promise<void>;
  close(): Promise<void>;
}

export interface Ended {
  readonly state: string;
  readonly error: string | null;
  readonly created_resources: Readonly<Record<string, readonly string[]>> | null;
}

const MAX_STEPS = 30;

export async function startLiveRegion(): Promise<LiveRegion> {
  const clock = movableClock();
  const server = await startTestServer({ worker: false, clock });
  const provider = new FakeProvider();
  const providerOf = (id: number) => (id === 2 ? provider : undefined);
  const providers = new DataPlanes({
    providerOf,
    addressesOf: providerOf,
    regionIds: () => [2],
    now: () => 0,
    secrets: new SecretReader(server.cipher),
  });
  const { db } = server;
  const log = pino({ level: 'silent' });
  const reads = new TaskReads(db, new TaskWatcher(db));
  const floating = floatingIps({
    providerOf,
    networksOf: () => undefined,
    carrier: loadBalancerCarrier(providers),
    instances: instanceSummaries,
    tasks: reads,
  });
  const reserved = reservedFixedIps({ providerOf, networksOf: () => undefined });
  const nets = networks({
    providerOf: () => ({
      apply: (_what, operation) => provider.changeAddress(operation),
      remove: (_what, operation) => provider.changeAddress(operation),
      readTraffic: async (router, window) => noTraffic(router, window),
    }),
    routers: routersOfNetworks(providerOf),
    tasks: reads,
  });
  const handlers = [
    ...loadBalancerTasks(providers),
    ...(floating.tasks ?? []),
    ...(nets.tasks ?? []),
    ...(reserved.tasks ?? []),
  ];
  const engine = (change: (handler: TaskHandler) => TaskHandler) =>
    new TaskEngine({ db, clock, log, handlers: handlers.map(change) });
  const [plain, twice, crashing] = [engine((handler) => handler), engine(repeated), engine(interrupted)];
  return {
    server,
    provider,
    reconciler: new Reconciler(db, providers, log),
    observer: new Observer(db, providers, new TreeCache(db), log),
    sampler: new Sampler(db, clock, providers, log),
    watchdog: new TaskWatchdog({ db, clock, log, handlers, held: HELD }),
    clock,
    metrics: (id, window) => {
      const scope = inRegion({ id: 1, clientId: 1 }, { id: 2, name: 'Simulated', state: 'ACTIVE' });
      const ctx = { db, clock, ...scope };
      return new LoadBalancerMetrics(providers).read(ctx, id, window);
    },
    counters: () => countersForPrometheus(db, providers),
    finished: (reply) => finished(server, twice, taskOf(reply)),
    crashed: (reply) => crashing.runTask(taskOf(reply)),
    stepped: (reply) => plain.runTask(taskOf(reply)),
    close: () => server.close(),
  };
}

function taskOf({ body }: Reply): string {
  const [id] = body.tasks ?? [];
  if (typeof id !== 'string') throw new Error(`no task was started: ${JSON.stringify(body)}`);
  return id;
}

async function finished(server: TestServer, engine: TaskEngine, id: string): Promise<Ended> {
  for (let step = 0; step < MAX_STEPS; step++) {
    await engine.runTask(id);
    const { body } = await server.call('GET', `/cloud/v1/tasks/${id}`);
    if (body.state === 'FINISHED' || body.state === 'ERROR') return body;
  }
  throw new Error(`task ${id} did not end`);
}

/** Every step is done twice, and so is what it commits. */
function repeated(handler: TaskHandler): TaskHandler {
  const again = async (step: () => Promise<Done | Wait>): Promise<Done | Wait> => {
    const first = await step();
    if (first.kind === 'wait') return first;
    const second = await step();
    if (second.kind === 'wait') return second;
    return {
      ...second,
      commit: async (tx) => {
        await first.commit?.(tx);
        await second.commit?.(tx);
      },
    };
  };
  return {
    ...handler,
    run: (run) => again(() => handler.run(run)),
    undo: (run, reason) => again(() => handler.undo(run, reason)),
  };
}

function interrupted(handler: TaskHandler): TaskHandler {
  const crash = async (step: Promise<Done | Wait>): Promise<Done | Wait> => {
    await step;
    throw new Error('crashed before the commit');
  };
  return {
    ...handler,
    run: (run) => crash(handler.run(run)),
    undo: (run, reason) => crash(handler.undo(run, reason)),
  };
}

/** A task that fails, and whose undoing crashes twice; it has created nothing. @returns the reason that it names */
export async function crashedToItsEnd(region: LiveRegion, reply: Reply): Promise<string | null> {
  for (let crash = 0; crash < 2; crash++) await region.crashed(reply);
  const { state, error, created_resources } = await region.finished(reply);
  if (state !== 'ERROR' || created_resources !== null) throw new Error(`the task is ${state}`);
  return error;
}
