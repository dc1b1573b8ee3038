import type { DesiredNow } from '../../../kernel/desired.ts';
import { NotOwner, type OwnerFence } from './owner-fence.ts';
import { hurried } from './programs.ts';
import { eachAtMost, Serial } from './serial.ts';

export type Fence = Pick<OwnerFence, 'hold' | 'isOwner'>;
/** What becomes of programs when a node stops working on a region. */
export type Programs = 'leave' | 'stop';

export interface Looks<Desired, Seen> {
  readonly desired: DesiredNow<Desired>;
  /** Compares what is there with what is desired, and does what is next. */
  look(each: Desired): Promise<Seen>;
  /** Removes what is there of something that nobody knows any more. Absent: it stays. */
  gone?(id: string): Promise<void>;
  /** What is known of one that could not be looked at; undefined: nothing. */
  failed(id: string, error: unknown): Seen | undefined;
}

export interface Supervision {
  readonly everyMs: number;
  /** Those that need a look now, which has to be seen quickly and without a change. */
  due(): Iterable<string>;
  look(id: string): Promise<void>;
  /** @param id undefined: none could be looked at */
  failed(id: string | undefined, error: unknown): void;
}

/** Brings what runs on this machine to what is desired: one change after the other for each resource, and none when
 *  another process owns the region. */
export class Reconciler {
  readonly #fence: Fence;
  readonly #serial = new Serial();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(fence: Fence) {
    this.#fence = fence;
  }

  /** Makes a change that a task wants.
   *  @throws NotOwner */
  change<T>(id: string, action: () => Promise<T>): Promise<T> {
    return this.#fence.hold(() => this.alone(id, action));
  }

  /** Makes a change when no other one of the resource is made. Whoever calls keeps other processes away. */
  alone<T>(id: string, action: () => Promise<T>): Promise<T> {
    return this.#serial.run(id, () => this.#unlessClosed(action));
  }

  isBusy(id: string): boolean {
    return this.#serial.isBusy(id);
  }

  /** Looks at all that no task works on: what a task works on is for the task. A task writes what it works on before
   *  its own turn comes: it is either seen here, or comes after the look. */
  async reconcile<Desired, Seen>(
    ids: readonly string[],
    sideBySide: number,
    looks: Looks<Desired, Seen>,
  ): Promise<ReadonlyMap<string, Seen>> {
    const found = new Map<string, Seen>();
    await eachAtMost(sideBySide, ids, async (id) => {
      if (this.isBusy(id)) return;
      const seen = await this.#serial.run(id, () => this.#see(id, looks));
      if (seen !== undefined) found.set(id, seen);
    });
    return found;
  }

  /** Looks again and again at what cannot wait until it is known what is desired: what has died is started. */
  supervise({ everyMs, due, look, failed }: Supervision): void {
    const unlessLost = (id: string | undefined) => (error: unknown) => {
      if (!(error instanceof NotOwner) && !this.#closed) failed(id, error);
    };
    const pass = async () => {
      const ids = due()[Symbol.iterator]();
      const first = ids.next();
      if (first.done) return;
      await this.#fence.hold(async () => {
        for (let next: IteratorResult<string> = first; !next.done; next = ids.next()) {
          const id = next.value;
          if (!this.isBusy(id)) await this.change(id, () => look(id)).catch(unlessLost(id));
        }
      });
    };
    let isLooking = false;
    this.#timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void pass()
        .catch(unlessLost(undefined))
        .finally(() => {
          isLooking = false;
        });
    }, everyMs).unref();
  }

  /** Keeps nobody from taking the region over while it waits for what is desired, which may take long. */
  async #see<Desired, Seen>(
    id: string,
    { desired, look, gone, failed }: Looks<Desired, Seen>,
  ): Promise<Seen | undefined> {
    if (!this.#fence.isOwner || this.#closed) return undefined;
    const each = await desired(id);
    if (each === undefined) return undefined;
    const work = async () => {
      if (each !== null) return look(each);
      await gone?.(id);
      return undefined;
    };
    try {
      return await this.#fence.hold(() => this.#unlessClosed(work));
    } catch (error) {
      return error instanceof NotOwner || this.#closed ? undefined : failed(id, error);
    }
  }

  #unlessClosed<T>(action: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('the provider is closed');
    return action();
  }

  /** Resolves when all changes that were begun have ended. */
  idle(): Promise<void> {
    return hurried(this.#serial.idle());
  }

  /** Makes no more changes. Only the owner of the region may end its programs.
   *  @param release what is done in the end */
  async close<Mode extends string>(
    mode: Mode,
    release: (mode: Mode | 'leave') => Promise<void>,
  ): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    if (mode === 'leave' || !this.#fence.isOwner) return release('leave');
    await this.#fence
      .hold(() => release(mode))
      .catch((error: unknown) => {
        if (!(error instanceof NotOwner)) throw error;
      });
  }
}
