import type { DesiredNoun, Drift, NounKind } from '../../features/networking/networks/port.ts';
import type { Logger } from '../../kernel/log.ts';
import { digestOf } from './digest.ts';
import type { EngineObject, EngineObjects } from './marks.ts';
import { Missing } from './missing.ts';
import type { Nouns } from './nouns.ts';
import type { Session } from './session.ts';
import type { OpenStackSettings } from './settings.ts';
import { isDue } from './spread.ts';

/** Between two lists, also after a look that failed, is at least this time. It is less than the 15 s after which jobs
 *  ask, whose clocks are not exact: else each other turn would find that it is a moment too early. */
const PAUSE_MS = 10_000;
export const KINDS = ['network', 'subnet', 'router', 'port', 'floating_ip'] as const;

export interface NounLookOptions {
  readonly session: Session;
  readonly objects: EngineObjects;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
  readonly settings: Pick<OpenStackSettings, 'drift'>;
}

/** A thing that is to be there, as a look compares it. */
export type Desired = { readonly kind: NounKind; readonly id: string };

/** What is not as desired: one list of each kind each time that a job asks, of ids and of when each was changed. */
export class NounLook {
  readonly #options: NounLookOptions;
  readonly #nouns: Nouns;
  readonly #kinds: readonly NounKind[];
  readonly #missing: ReadonlyMap<NounKind, Missing>;
  readonly #wholeAt = new Map<string, number>();
  #nextAt = 0;
  #hasFailed = false;

  constructor(options: NounLookOptions, nouns: Nouns, kinds: readonly NounKind[] = KINDS) {
    this.#options = options;
    this.#nouns = nouns;
    this.#kinds = kinds;
    this.#missing = new Map(kinds.map((kind) => [kind, new Missing(kind, options.log)]));
  }

  /** Whether the region could not be asked, and it is too early to ask again: that was said once. */
  get hasJustFailed(): boolean {
    return this.#hasFailed && this.#options.now() < this.#nextAt;
  }

  /** @param nouns all that tasks do not work on, @param held ids of those that they do
   *  @throws when the region cannot be asked */
  async due(nouns: readonly (DesiredNoun | Desired)[], held: ReadonlySet<string>): Promise<readonly Drift[]> {
    const { now, session, objects } = this.#options;
    if (now() < this.#nextAt) return [];
    this.#nextAt = now() + PAUSE_MS;
    this.#hasFailed = true;
    const { projectId } = await session.identity();
    const found: Drift[] = [];
    for (const kind of this.#kinds) {
      const listed = await this.#nouns.seen(kind, projectId);
      const known = await objects.all(kind);
      const desired = nouns.filter((each) => each.kind === kind);
      found.push(...this.#compared(kind, desired, { known, listed, held }));
    }
    const ids = new Set(nouns.map(({ id }) => id));
    for (const id of this.#wholeAt.keys()) if (!ids.has(id)) this.#wholeAt.delete(id);
    this.#hasFailed = false;
    return found;
  }

  #compared(kind: NounKind, desired: readonly (DesiredNoun | Desired)[], seen: Seen): Drift[] {
    const { known, listed, held } = seen;
    const ids = new Set(desired.map(({ id }) => id));
    const surplus = [...known.keys()].filter((id) => !ids.has(id) && !held.has(id));
    const deleted = this.#deleted(kind, desired, seen);
    const changed = desired.flatMap(({ id }, index): Drift[] => {
      const object = known.get(id);
      if (!object || object.facts.digest !== digestOf(desired[index] as object))
        return [{ kind, id, why: 'changed' }];
      const line = listed.get(object.engineId);
      if (line === undefined) return [];
      if (this.#options.settings.drift === 'keep') return [];
      const isAltered = line !== object.facts.seen;
      return isAltered || isDue(this.#wholeAt, id, this.#options.now()) ? [{ kind, id, why: 'altered' }] : [];
    });
    return [...changed, ...deleted, ...surplus.map((id): Drift => ({ kind, id, why: 'surplus' }))];
  }

  /** What has vanished from the cloud, after two complete looks. */
  #deleted(kind: NounKind, desired: readonly Desired[], { known, listed }: Seen): Drift[] {
    const settled = desired.filter(({ id }) => known.has(id));
    const gone = settled.filter(({ id }) => !listed.has(known.get(id)?.engineId ?? ''));
    const ids = gone.map(({ id }) => id);
    const deleted = this.#missing.get(kind)?.deleted(ids, settled.length) ?? [];
    return deleted.map((id): Drift => ({ kind, id, why: 'deleted' }));
  }
}

interface Seen {
  readonly known: ReadonlyMap<string, EngineObject>;
  readonly listed: ReadonlyMap<string, string>;
  readonly held: ReadonlySet<string>;
}
