import type pg from 'pg';
import type { Db } from '../database/db.ts';

/** Channel on which the ids of tasks that ended are told. */
export const TASK_ENDED = 'virga_task_ended';
/** Milliseconds after which whoever waits looks for itself: a notification may be lost with the worker that sent it. */
const LOOK_AGAIN_MS = 1000;

/** Tells when tasks end, on whichever node that happens. */
export class TaskWatcher {
  readonly #db: Db;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<() => void>();
  #connection: Promise<pg.PoolClient> | undefined;
  #closed = false;

  constructor(db: Db) {
    this.#db = db;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when the task ends, the time is over, or the server stops, and after a second at the latest. Listens
   *  from the moment that `ready` resolves: look at the task after that, or its end may be missed. */
  waitFor(
    taskId: string,
    ms: number,
  ): { readonly ready: Promise<void>; readonly over: Promise<void>; cancel(): void } {
    let wake: () => void = () => {};
    const over = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const timer = setTimeout(wake, Math.min(ms, LOOK_AGAIN_MS));
    const set = this.#waiting.get(taskId) ?? new Set();
    this.#waiting.set(taskId, set.add(wake));
    const cancel = () => {
      clearTimeout(timer);
      wake();
      set.delete(wake);
      if (set.size === 0) this.#waiting.delete(taskId);
    };
    if (this.#closed) wake();
    return { ready: this.#listen(), over, cancel };
  }

  /** Calls back whenever any task has ended, and when the server stops. */
  onEnd(callback: () => void): () => void {
    this.#listeners.add(callback);
    void this.#listen();
    return () => this.#listeners.delete(callback);
  }

  /** Ends every wait at once. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeAll();
    const client = await this.#connection?.catch(() => undefined);
    client?.release(true);
  }

  async #listen(): Promise<void> {
    if (this.#closed) return;
    this.#connection ??= this.#connect();
    await this.#connection.catch(() => undefined);
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      const client = await this.#db.pool.connect();
      client.on('notification', ({ payload }) => this.#ended(payload ?? ''));
      // What ended meanwhile was not heard: everybody looks again.
      client.on('error', () => {
        this.#connection = undefined;
        // Not given back it would stay in the pool, which then could never be closed.
        client.release(true);
        this.#wakeAll();
      });
      await client.query(`listen ${TASK_ENDED}`);
      return client;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  #ended(taskId: string): void {
    for (const wake of this.#waiting.get(taskId) ?? []) wake();
    for (const callback of this.#listeners) callback();
  }

  #wakeAll(): void {
    for (const set of this.#waiting.values()) for (const wake of set) wake();
    for (const callback of this.#listeners) callback();
  }
}
