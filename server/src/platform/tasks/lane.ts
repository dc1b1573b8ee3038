import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { TaskEngine } from './engine.ts';
import type { ClaimedTask, Hold } from './queue.ts';

export interface LaneOptions {
  readonly log: Logger;
  readonly engine: TaskEngine;
  /** Tasks worked on at the same time. For a moment it can be more: what this node accepts is not held up by a claim
   *  that is under way. */
  readonly concurrency: number;
  /** Claims due tasks, at most so many, and none of those that it has. */
  readonly claim: (limit: number, except: readonly string[]) => Promise<readonly ClaimedTask[]>;
}

/** At a time, so that a node with much room leaves some of many due tasks to others. */
const MOST_CLAIMED = 16;
/** The longest delay that a timer of Node accepts. What is due later is found by looking. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Works on the due tasks of some regions, so many at a time. It only knows what it has in hand: what is to be done
 *  stands in the table of tasks. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #held = new Map<string, { readonly attempt: number; readonly since: number }>();
  readonly #running = new Set<Promise<void>>();
  #claiming = false;
  #claimed: Promise<void> = Promise.resolve();
  /** Something may have become due since the last claim began, or that one could not claim it all. */
  #mayBeMore = false;
  /** More was due than there was room for, when it last looked. */
  #isBehind = false;
  #stopped = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Claims what is due, as far as there is room. */
  look(): void {
    this.#mayBeMore = true;
    if (this.#held.size >= this.#options.concurrency) this.#isBehind = true;
    if (!this.#claiming && !this.#stopped) this.#claimed = this.#claimAll();
  }

  /** Whether it can begin with something new without passing over what is due for longer. */
  get hasRoom(): boolean {
    return !this.#stopped && !this.#isBehind && this.#held.size < this.#options.concurrency;
  }

  /** Begins with a task that was claimed for it. One that it may not begin with any more is left to its lease. */
  begin(task: ClaimedTask): void {
    if (!this.#stopped && !this.#held.has(task.id)) this.#begin(task);
  }

  /** What it has had for longer than so many milliseconds. */
  held(longerThanMs: number): readonly Hold[] {
    const before = performance.now() - longerThanMs;
    return [...this.#held].flatMap(([id, { attempt, since }]) => (since < before ? [{ id, attempt }] : []));
  }

  /** These are somebody else's now, or nobody's: what still runs for them changes nothing, and takes no room. */
  lose(ids: readonly string[]): void {
    for (const id of ids) this.#held.delete(id);
  }

  /** Claims nothing more, and waits for what runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#claimed;
    await Promise.all(this.#running);
  }

  async #claimAll(): Promise<void> {
    const { claim, concurrency, log } = this.#options;
    this.#claiming = true;
    while (this.#mayBeMore && !this.#stopped && this.#held.size < concurrency) {
      const limit = Math.min(concurrency - this.#held.size, MOST_CLAIMED);
      this.#mayBeMore = false;
      try {
        const tasks = await claim(limit, [...this.#held.keys()]);
        this.#isBehind = tasks.length === limit;
        if (this.#isBehind) this.#mayBeMore = true;
        for (const task of tasks) this.#begin(task);
      } catch (error) {
        // Looked for again within a second.
        log.warn(`no tasks could be claimed: ${messageOf(error)}`);
        break;
      }
    }
    this.#claiming = false;
  }

  #begin(task: ClaimedTask): void {
    const hold = { attempt: task.attempt, since: performance.now() };
    this.#held.set(task.id, hold);
    const running = this.#run(task).finally(() => {
      if (this.#held.get(task.id) === hold) this.#held.delete(task.id);
      this.#running.delete(running);
      if (this.#mayBeMore) this.look();
    });
    this.#running.add(running);
  }

  async #run(task: ClaimedTask): Promise<void> {
    const { engine, log } = this.#options;
    try {
      const again = await engine.run(task);
      if (again !== undefined) this.#lookIn(again);
    } catch (error) {
      log.warn({ task: task.id, type: task.type }, `a run could not be written down: ${messageOf(error)}`);
    }
  }

  /** Others find it too, a second later. */
  #lookIn(ms: number): void {
    setTimeout(() => this.look(), Math.min(Math.ceil(ms), LONGEST_TIMER_MS)).unref();
  }
}
