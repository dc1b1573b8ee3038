import type { Db } from '../database/db.ts';
import { Listener } from '../database/listener.ts';

/** Channel on which the ids of tasks that ended are sent. */
export const TASK_ENDED = 'virga_task_ended';
/** Milliseconds after which whoever waits looks for itself: a notification may be lost with the worker that sent it. */
const LOOK_AGAIN_MS = 1000;

/** Notifies when tasks end, on whichever node that happens. */
export class TaskWatcher {
  readonly #listener: Listener;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<() => void>();
  #closed = false;

  constructor(db: Db) {
    this.#listener = new Listener(db, TASK_ENDED, {
      message: (taskId) => this.#ended(taskId),
      // What ended meanwhile was not heard: everybody looks again.
      lost: () => this.#wakeAll(),
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when the task ends, the time is over, or the server stops, and after a second at the latest. Listens
   *  from the moment that `ready` resolves: look at the task after that, or its end may be missed until `over`. */
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
    return { ready: Promise.race([this.#listener.listen(), over]), over, cancel };
  }

  /** Calls back whenever any task has ended, and when the server stops. */
  onEnd(callback: () => void): () => void {
    this.#listeners.add(callback);
    void this.#listener.listen();
    return () => this.#listeners.delete(callback);
  }

  /** Ends every wait at once. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeAll();
    await this.#listener.close();
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
