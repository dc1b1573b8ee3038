import { hurried } from './load-balancers/programs.ts';
import { eachAtMost, Serial } from './load-balancers/serial.ts';
import { NotOwner, type OwnerFence } from './owner-fence.ts';

export type Fence = Pick<OwnerFence, 'hold' | 'isOwner'>;
/** What becomes of programs when a node stops working on a region. */
export type Programs = 'leave' | 'stop';

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
    return this.#fence.hold(() =>
      this.#serial.run(id, () => {
        if (this.#closed) throw new Error('the provider is closed');
        return action();
      }),
    );
  }

  isBusy(id: string): boolean {
    return this.#serial.isBusy(id);
  }

  /** Looks at all that no task works on: what a task works on is for the task.
   *  @param failed what is known of one that could not be looked at; undefined: nothing */
  async observe<Desired extends { readonly id: string }, Seen>(
    desired: readonly Desired[],
    sideBySide: number,
    look: (each: Desired) => Promise<Seen>,
    failed: (each: Desired, error: unknown) => Seen | undefined,
  ): Promise<ReadonlyMap<string, Seen>> {
    const found = new Map<string, Seen>();
    await eachAtMost(sideBySide, desired, async (each) => {
      if (this.isBusy(each.id)) return;
      try {
        found.set(each.id, await this.change(each.id, () => look(each)));
      } catch (error) {
        if (error instanceof NotOwner || this.#closed) return;
        const seen = failed(each, error);
        if (seen !== undefined) found.set(each.id, seen);
      }
    });
    return found;
  }

  /** Resolves when all changes that were begun have ended. */
  idle(): Promise<void> {
    return hurried(this.#serial.idle());
  }

  /** Makes no more changes. Only the owner of the region may end its programs. */
  async close(programs: Programs, letGo: (programs: Programs) => Promise<void>): Promise<void> {
    this.#closed = true;
    const mayStop = programs === 'stop' && this.#fence.isOwner;
    if (!mayStop) return letGo('leave');
    await this.#fence
      .hold(() => letGo('stop'))
      .catch((error: unknown) => {
        if (!(error instanceof NotOwner)) throw error;
      });
  }
}
