import type { Logger } from '../../kernel/log.ts';

/** Complete looks in which something was missing, before it counts as deleted. */
const LOOKS = 2;
/** A list in which more than this share of what was there is missing is not believed, unless it is that few. */
const SHARE = 0.05;
const FEW = 2;

/** What complete lists of one kind have not named. */
export class Missing {
  readonly #kind: string;
  readonly #log: Pick<Logger, 'warn'>;
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(kind: string, log: Pick<Logger, 'warn'>) {
    this.#kind = kind;
    this.#log = log;
  }

  /** @param gone ids that the last list did not name, @param known how many were to be in it
   *  @param failed those of which it is no wonder
   *  @returns those that count as deleted */
  deleted(gone: readonly string[], known: number, failed?: ReadonlySet<string>): readonly string[] {
    const missing = gone.filter((id) => !failed?.has(id)).length;
    if (missing > Math.max(FEW, known * SHARE)) {
      this.#log.warn(
        { kind: this.#kind, missing, known },
        `most likely the cloud did not say all: no ${this.#kind} counts as deleted while so many are missing`,
      );
      return [];
    }
    this.#counts = new Map(gone.map((id) => [id, (this.#counts.get(id) ?? 0) + 1]));
    return gone.filter((id) => (this.#counts.get(id) ?? 0) >= LOOKS);
  }
}
