import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CertificateWatch } from '../certificates/watch.ts';
import type { Db } from '../database/db.ts';
import { type Backlog, ClusterMetrics } from './cluster.ts';

export interface MetricsOptions {
  readonly db: Db;
  readonly version: string;
  readonly role: string;
  readonly backlogs: readonly Backlog[];
  /** By how many milliseconds this machine's clock is ahead of the database's. */
  readonly clockOffMs: () => number;
  /** How many lines of the log could not be written. */
  readonly droppedLines: () => number;
  readonly certificates: Pick<CertificateWatch, 'first'>;
}

/** What operators see at /metrics, in Prometheus' text format. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'virga_http_request_duration_seconds',
    help: 'Time to answer a request, by route, method and status',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 2, 10],
    registers: [this.registry],
  });
  readonly #tasks = new Counter({
    name: 'virga_tasks_ended_total',
    help: 'Tasks that ended, by type and state',
    labelNames: ['type', 'state'] as const,
    registers: [this.registry],
  });
  readonly #taskSeconds = new Histogram({
    name: 'virga_task_duration_seconds',
    help: 'Time from the acceptance of a task to its end, by type',
    labelNames: ['type'] as const,
    buckets: [0.01, 0.05, 0.25, 1, 5, 30, 120, 600],
    registers: [this.registry],
  });

  readonly #cluster: ClusterMetrics;

  constructor({ db, version, role, backlogs, clockOffMs, droppedLines, certificates }: MetricsOptions) {
    collectDefaultMetrics({ register: this.registry });
    const build = new Gauge({
      name: 'virga_build_info',
      help: 'Always 1; the labels name the version and the role of this process',
      labelNames: ['version', 'role'] as const,
      registers: [this.registry],
    });
    build.set({ version, role }, 1);
    new Gauge({
      name: 'virga_clock_offset_seconds',
      help: "By how much the clock of this process's machine is ahead of the database's; negative: behind",
      registers: [this.registry],
      collect() {
        this.set(clockOffMs() / 1000);
      },
    });
    new Gauge({
      name: 'virga_database_disk_full',
      help: 'Whether the disk of the database is full, so that nothing can be changed: 1 or 0',
      registers: [this.registry],
      collect() {
        this.set(db.room.isFull ? 1 : 0);
      },
    });
    new Counter({
      name: 'virga_log_lines_dropped_total',
      help: 'Lines of the log that could not be written',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(droppedLines());
      },
    });
    new Gauge({
      name: 'virga_certificate_expiry_timestamp_seconds',
      help: 'When the first certificate in use expires, in seconds since 1970, by its use; absent: not within 90 days',
      labelNames: ['use'] as const,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [use, expiresAt] of certificates.first) this.set({ use }, expiresAt.getTime() / 1000);
      },
    });
    this.#cluster = new ClusterMetrics(db, this.registry, backlogs);
  }

  /** All of it, as it is now. */
  async text(): Promise<string> {
    await this.#cluster.refresh();
    return this.registry.metrics();
  }

  observeRequest(route: string, method: string, status: number, seconds: number): void {
    this.#requests.observe({ route, method, status: String(status) }, seconds);
  }

  observeTask(type: string, state: 'FINISHED' | 'ERROR', seconds: number): void {
    this.#tasks.inc({ type, state });
    this.#taskSeconds.observe({ type }, seconds);
  }
}
