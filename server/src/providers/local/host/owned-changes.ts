import type { DesiredNow } from '../../../kernel/desired.ts';
import { NotOwner, type OwnerFence } from './owner-fence.ts';
import { hurried } from './programs.ts';
import { eachAtMost, Serial } from './serial.ts';

export type Fence = Pick<OwnerFence, 'hold' | 'isOwner'>;
/** What becomes of programs when a node stops working on a region. */
export type Programs = 'leave' | 'stop';

export interface Looks<Desired, Seen> {
  readonly desired: DesiredNow<Desired>;
  look(each: Desired): Promise<Seen>;
  /** What is known of one that could not be looked at; undefined: nothing. */
  failed(id: string, error: unknown): Seen | undefined;
}

/** Changes of what runs on this machine: one after the other for each resource, and none when another process owns the
 *  region. */
export class OwnedChanges {
  readonly #fence: Fence;
  readonly #serial = new Serial();
  #closed = false;

  constructor(fence: Fence) {
    this.#fence = fence;
  }

  /** @throws NotOwner */
  change<T>(id: string, action: () => Promise<T>): Promise<T> {
    return this.#fence.hold(() => this.#serial.run(id, () => this.#unlessClosed(action)));
  }

  isBusy(id: string): boolean {
    return this.#serial.isBusy(id);
  }

  /** Looks at all that no task works on: what a task works on is for the task. A task writes what it works on before
   *  its own turn comes: it is either seen here, or comes after the look. */
  async observe<Desired, Seen>(
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

  /** Keeps nobody from taking the region over while it waits for what is desired, which may take long. */
  async #see<Desired, Seen>(
    id: string,
    { desired, look, failed }: Looks<Desired, Seen>,
  ): Promise<Seen | undefined> {
    if (!this.#fence.isOwner || this.#closed) return undefined;
    const each = await desired(id);
    if (each === undefined) return undefined;
    try {
      return await this.#fence.hold(() => this.#unlessClosed(() => look(each)));
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

  /** Makes no more changes. Only the owner of the region may end its programs. */
  async close(programs: Programs, release: (programs: Programs) => Promise<void>): Promise<void> {
    this.#closed = true;
    const mayStop = programs === 'stop' && this.#fence.isOwner;
    if (!mayStop) return release('leave');
    await this.#fence
      .hold(() => release('stop'))
      .catch((error: unknown) => {
        if (!(error instanceof NotOwner)) throw error;
      });
  }
}
