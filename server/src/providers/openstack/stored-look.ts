import type { Logger } from '../../kernel/log.ts';
import type { EngineObjects, StoredKind } from './marks.ts';
import { Missing } from './missing.ts';

/** Between two lists, also after a look that failed, is at least this time. It is less than the 15 s after which jobs
 *  ask, whose clocks are not exact: else each other turn would find that it is a moment too early. */
const PAUSE_MS = 10_000;

export interface StoredLookOptions {
  readonly objects: EngineObjects;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/** What a look has found. */
export interface Sight {
  /** Ids of those that are not there any more, after two complete looks. */
  readonly gone: readonly string[];
  /** What the cloud says of the others. */
  readonly states: ReadonlyMap<string, string>;
}

/** What has become of the objects of a kind: one list of the region each time that a job asks. */
export class StoredLook {
  readonly #options: StoredLookOptions;
  readonly #kind: StoredKind;
  readonly #read: () => Promise<ReadonlyMap<string, string>>;
  readonly #missing: Missing;
  #nextAt = 0;
  #hasFailed = false;

  /** @param read what is in the project, by the cloud's ids: what it says of each */
  constructor(
    options: StoredLookOptions,
    kind: StoredKind,
    read: () => Promise<ReadonlyMap<string, string>>,
  ) {
    this.#options = options;
    this.#kind = kind;
    this.#read = read;
    this.#missing = new Missing(kind, options.log);
  }

  /** Whether the region could not be asked, and it is too early to ask again: that was said once. */
  get hasJustFailed(): boolean {
    return this.#hasFailed && this.#options.now() < this.#nextAt;
  }

  /** @param ids of all that are to be there, @param failed those of which it was said before that they are of no use
   *  @throws when the region cannot be asked */
  async observed(ids: readonly string[], failed?: ReadonlySet<string>): Promise<Sight> {
    const { now, objects } = this.#options;
    if (now() < this.#nextAt) return { gone: [], states: new Map() };
    this.#nextAt = now() + PAUSE_MS;
    this.#hasFailed = true;
    const listed = await this.#read();
    const known = await objects.all(this.#kind);
    this.#hasFailed = false;
    const settled = ids.flatMap((id) => {
      const object = known.get(id);
      return object ? [{ id, state: listed.get(object.engineId) }] : [];
    });
    const gone = settled.filter(({ state }) => state === undefined).map(({ id }) => id);
    return {
      gone: this.#missing.deleted(gone, settled.length, failed),
      states: new Map(settled.flatMap(({ id, state }) => (state === undefined ? [] : [[id, state]]))),
    };
  }
}
