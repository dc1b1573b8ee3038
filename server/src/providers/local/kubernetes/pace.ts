import type { PoolToScale } from '../../../features/kubernetes/port.ts';

interface Seen {
  readonly clusterId: string;
  readonly lookedAt: number;
  readonly size: number;
  readonly grownAt: number;
  readonly shrunkAt: number;
  /** Since when it has nodes that its pods do not need. */
  readonly unneededSince: number | undefined;
}

type Pool = Pick<PoolToScale, 'id' | 'clusterId' | 'nodes' | 'scaling'>;

/** When pools get the sizes that their pods need: growth at once, and shrinking as their settings say. What it has seen
 *  is forgotten with this process: delays then begin anew. Times are in milliseconds. */
export class Pace {
  readonly #pools = new Map<string, Seen>();

  /** Whether a pool is to be looked at now. */
  isDue({ id, scaling }: Pool, now: number): boolean {
    const seen = this.#pools.get(id);
    return seen === undefined || now - seen.lookedAt >= scaling.lookEveryMs;
  }

  /** The size that a pool gets now.
   *  @param needed by its pods */
  sizeOf(pool: Pool, needed: number, now: number): number {
    const { id, clusterId, scaling } = pool;
    const size = pool.nodes.length;
    const before = this.#pools.get(id);
    const { unneededSince = now } = before ?? {};
    const seen = {
      clusterId,
      lookedAt: now,
      size,
      grownAt: before !== undefined && size > before.size ? now : (before?.grownAt ?? -Infinity),
      shrunkAt: before !== undefined && size < before.size ? now : (before?.shrunkAt ?? -Infinity),
      unneededSince: needed < size ? unneededSince : undefined,
    };
    this.#pools.set(id, seen);
    if (needed >= size) return needed;
    const mayShrink =
      scaling.shrinks &&
      now - unneededSince >= scaling.unneededMs &&
      now - seen.grownAt >= scaling.afterGrowthMs &&
      now - seen.shrunkAt >= scaling.afterShrinkingMs;
    return mayShrink ? needed : size;
  }

  forget(clusterId: string): void {
    for (const [id, seen] of this.#pools) if (seen.clusterId === clusterId) this.#pools.delete(id);
  }
}
