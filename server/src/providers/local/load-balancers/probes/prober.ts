import { messageOf } from '../../../../kernel/errors.ts';
import { type ProbeAnswer, probe } from './probe.ts';
import type { ProbeTarget } from './targets.ts';

interface Watched {
  readonly target: ProbeTarget;
  timer: NodeJS.Timeout | undefined;
  alive: boolean;
  /** Milliseconds since the epoch: since when it is so. */
  since: number;
  /** What the newest look saw; null before the first. */
  words: string | null;
  /** Looks in a row that contradict the present verdict. */
  contradictions: number;
}

/** What is known of a member. */
export type Verdict = Pick<Watched, 'alive' | 'since' | 'words'>;

/** Watches members at their interval. As HAProxy does, it regards a new member as alive and changes
 *  its mind at the first failure; later it wants `fall` failures or `rise` successes in a row. */
export class Prober {
  readonly #watched = new Map<string, Watched>();
  readonly #onChange: () => void;
  readonly #probe: (target: ProbeTarget) => Promise<ProbeAnswer>;
  readonly #now: () => number;

  /** @param onChange called when any verdict has changed */
  constructor(
    onChange: () => void,
    now: () => number,
    look: (target: ProbeTarget) => Promise<ProbeAnswer> = probe,
  ) {
    this.#now = now;
    this.#onChange = onChange;
    this.#probe = look;
  }

  /** Watches exactly these; verdicts on those that stay the same are kept. */
  watch(targets: readonly ProbeTarget[]): void {
    const desired = new Map(targets.map((target) => [target.memberId, target]));
    for (const [id, watched] of this.#watched) {
      if (same(watched.target, desired.get(id))) continue;
      clearTimeout(watched.timer);
      this.#watched.delete(id);
    }
    for (const [id, target] of desired) {
      if (this.#watched.has(id)) continue;
      const watched: Watched = {
        target,
        timer: undefined,
        alive: true,
        since: this.#now(),
        words: null,
        contradictions: target.fall - 1,
      };
      this.#watched.set(id, watched);
      void this.#look(watched);
    }
  }

  /** Ids of members that do not answer. */
  down(): ReadonlySet<string> {
    return new Set([...this.#watched].flatMap(([id, { alive }]) => (alive ? [] : [id])));
  }

  /** By member id. */
  verdicts(): ReadonlyMap<string, Verdict> {
    return this.#watched;
  }

  stop(): void {
    this.watch([]);
  }

  async #look(watched: Watched): Promise<void> {
    const { alive, words } = await this.#probe(watched.target).catch((error: unknown) => ({
      alive: false,
      words: messageOf(error),
    }));
    if (this.#watched.get(watched.target.memberId) !== watched) return;
    watched.words = words;
    watched.contradictions = alive === watched.alive ? 0 : watched.contradictions + 1;
    const needed = alive ? watched.target.rise : watched.target.fall;
    if (alive !== watched.alive && watched.contradictions >= needed) {
      watched.alive = alive;
      watched.since = this.#now();
      watched.contradictions = 0;
      this.#onChange();
    }
    watched.timer = setTimeout(() => void this.#look(watched), watched.target.delayMs).unref();
  }
}

function same(left: ProbeTarget, right: ProbeTarget | undefined): boolean {
  return right !== undefined && JSON.stringify(left) === JSON.stringify(right);
}
