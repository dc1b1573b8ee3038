import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../database/db.ts';
import { countAlive } from '../nodes/store.ts';
import { TooLate, within } from '../tasks/within.ts';
import { readQueue } from './store.ts';

/** Something that waits to be sent. */
export interface Backlog {
  /** Of the metric, without its prefix: `webhook_deliveries_waiting`. */
  readonly name: string;
  readonly help: string;
  count(db: Db): Promise<number>;
}

/** What the database said is good for this long, however often it is asked for. */
const FRESH_MS = 1000;
const PATIENCE_MS = 2500;

/** Figures that are the same on each node, since they are read from the database: queue, nodes, backlogs. Together
 *  with those of this node's own connections to it. */
export class ClusterMetrics {
  readonly #db: Db;
  readonly #backlogs: readonly (Backlog & { readonly gauge: Gauge })[];
  readonly #gauge: (name: string, help: string) => Gauge;
  readonly #nodes: Gauge<'role' | 'version'>;
  readonly #tasks: Gauge<'state'>;
  readonly #oldest: Gauge;
  readonly #up: Gauge;
  readonly #connections: Gauge<'state'>;
  #refreshed: Promise<void> = Promise.resolve();
  #since = Number.NEGATIVE_INFINITY;

  constructor(db: Db, registry: Registry, backlogs: readonly Backlog[]) {
    this.#db = db;
    const registers = [registry];
    this.#gauge = (name, help) => new Gauge({ name: `virga_${name}`, help, registers });
    const labelled = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Gauge<L>({ name: `virga_${name}`, help, labelNames: [...labelNames], registers });
    this.#up = this.#gauge('database_up', 'Whether the database answers: 1 or 0');
    this.#connections = labelled(
      'database_connections',
      'Connections of this node to the database: in use, idle, and requests that wait for one',
      ['state'],
    );
    this.#nodes = labelled('nodes', 'Processes on this database that are alive, by role and version', [
      'role',
      'version',
    ]);
    this.#tasks = labelled(
      'tasks',
      'Tasks that have not ended: waiting for a worker, running, or scheduled for later',
      ['state'],
    );
    this.#oldest = this.#gauge(
      'task_oldest_waiting_seconds',
      'For how long the task has waited for a worker that has waited longest; 0 when none waits',
    );
    this.#backlogs = backlogs.map((each) => ({ ...each, gauge: this.#gauge(each.name, each.help) }));
  }

  /** Never throws: without the database only `virga_database_up` and the connections are reported. */
  async refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.#since > FRESH_MS) {
      this.#since = now;
      this.#refreshed = within(
        PATIENCE_MS,
        this.#db.liveness.during(() => this.#read()),
      ).then(
        () => this.#up.set(1),
        (error: unknown) => this.#forget(error),
      );
    }
    await this.#refreshed;
    const { totalCount, idleCount, waitingCount } = this.#db.pool;
    this.#connections.set({ state: 'used' }, totalCount - idleCount);
    this.#connections.set({ state: 'idle' }, idleCount);
    this.#connections.set({ state: 'waiting' }, waitingCount);
  }

  async #read(): Promise<void> {
    const [nodes, queue, ...counts] = await Promise.all([
      countAlive(this.#db),
      readQueue(this.#db),
      ...this.#backlogs.map((each) => each.count(this.#db)),
    ]);
    this.#nodes.reset();
    for (const { role, version, count } of nodes) this.#nodes.set({ role, version }, count);
    this.#tasks.set({ state: 'waiting' }, queue.waiting);
    this.#tasks.set({ state: 'running' }, queue.running);
    this.#tasks.set({ state: 'scheduled' }, queue.scheduled);
    this.#oldest.set(queue.oldest_seconds);
    for (const [i, { gauge }] of this.#backlogs.entries()) gauge.set(counts[i] ?? 0);
  }

  /** What was true before may not be true now. What takes too long may wait for a lock that somebody holds: whether the
   *  database answers at all is asked over a connection of its own. */
  #forget(error: unknown): void {
    this.#up.set(error instanceof TooLate && !this.#db.isLost ? 1 : 0);
    this.#nodes.reset();
    this.#tasks.reset();
    for (const gauge of [this.#oldest, ...this.#backlogs.map((each) => each.gauge)]) gauge.remove();
  }
}
