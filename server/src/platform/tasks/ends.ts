import { AsyncResource } from 'node:async_hooks';
import type { Db, Tx } from '../database/db.ts';
import type { Created } from './created-resources.ts';
import { finishAll } from './queue.ts';

/** Is notified of each task that ends, with how long it took since it was accepted. */
export type OnEnd = (type: string, state: 'FINISHED' | 'ERROR', seconds: number) => void;

/** How a run ended well. */
export interface End {
  readonly id: string;
  readonly attempt: number;
  readonly clientId: number;
  readonly timestamp: string;
  readonly created: Created;
  /** Writes the outcome, in the same transaction as FINISHED. */
  readonly commit: ((tx: Tx) => Promise<void>) | undefined;
}

interface Waiting {
  readonly end: End;
  /** @param isWritten false: another run has taken over */
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A transaction that takes longer does not keep others waiting. */
const PATIENCE_MS = 20;
const MOST_TOGETHER = 16;

/** Writes the ends of tasks. Those that are ready while others are being written share the next transaction: under
 *  load, one commit is for several of them. */
export class Ends {
  readonly #db: Db;
  readonly #patienceMs: number;
  #waiting: Waiting[] = [];
  /** The transaction that those who come later wait for. */
  #current: object | undefined;

  constructor(db: Db, patienceMs = PATIENCE_MS) {
    this.#db = db;
    this.#patienceMs = patienceMs;
  }

  /** Writes the end of a task and its outcome, or nothing of them.
   *  @returns false when another run has taken over
   *  @throws what writing its outcome throws */
  write(end: End): Promise<boolean> {
    // Its outcome is written as a part of its own run, whoever has opened the transaction.
    const commit = end.commit && AsyncResource.bind(end.commit);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ end: { ...end, commit }, resolve, reject });
      if (!this.#current) this.#next();
    });
  }

  #next(): void {
    const some = this.#waiting.splice(0, MOST_TOGETHER);
    this.#current = undefined;
    if (some.length === 0) return;
    const mine = {};
    this.#current = mine;
    const goOn = () => {
      clearTimeout(timer);
      if (this.#current === mine) this.#next();
    };
    const timer = setTimeout(goOn, this.#patienceMs);
    void this.#writeSome(some).finally(goOn);
  }

  async #writeSome(some: readonly Waiting[]): Promise<void> {
    try {
      const written = await this.#transaction(some.map(({ end }) => end));
      for (const { end, resolve } of some) resolve(written.has(end.id));
    } catch (error) {
      const [first, ...others] = some;
      if (others.length === 0) first?.reject(error);
      // One of them cannot be written: each by itself, so that the others are.
      else for (const one of some) await this.#writeSome([one]);
    }
  }

  #transaction(ends: readonly End[]): Promise<ReadonlySet<string>> {
    // Two nodes that write ends of the same clients lock what these share in the same order.
    const inOrder = [...ends].sort((a, b) => a.clientId - b.clientId);
    return this.#db.transaction(async (tx) => {
      const written = new Set(await finishAll(tx, inOrder));
      for (const { id, commit } of inOrder) if (written.has(id)) await commit?.(tx);
      return written;
    });
  }
}
