import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';
import { recordRepair } from '../audit/audit.ts';
import type { Db, Queryable } from '../database/db.ts';

/** Resources of regions that somebody else can change, too. */

/** Something that is not as desired. */
export interface Drift<Kind extends string = string> {
  readonly kind: Kind;
  readonly id: string;
  /** `changed` here; `altered` or `deleted` there, by somebody else; `surplus`: no resource here has it. */
  readonly why: 'changed' | 'altered' | 'deleted' | 'surplus';
}

/** What a region does of it. */
export interface Looks<Desired, Kind extends string> {
  /** What is not as desired, by what was last settled and what the region's lists say. Absent: nothing changes there
   *  by itself. @param desired all of the region, but for those that tasks work on, @param held ids of those */
  look?(desired: readonly Desired[], held: ReadonlySet<string>): Promise<readonly Drift<Kind>[]>;
  /** Whether this node is the one that looks at the region at present. Absent: any. */
  mayLook?(): Promise<boolean>;
}

export type Applied = Progress & {
  /** What was not as desired: `subnet: gateway_ip`. */
  readonly changes?: readonly string[];
};

/** A row, and what a region is to have of it; null: nothing. */
export interface Entry<Desired> {
  readonly id: string;
  readonly projectId: number | null;
  readonly regionId: number;
  readonly isHeld: boolean;
  readonly desired: Desired | null;
}

export interface DriftOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: Clock;
  regionIds(): readonly number[];
}

/** The resources of one feature. */
export interface Drifting<Provider, Desired, Kind extends string> {
  /** In the plural, for the log: `networks`. */
  readonly noun: string;
  providerOf(regionId: number): (Provider & Looks<Desired, Kind>) | undefined;
  readAll(db: Queryable, regionId: number): Promise<readonly Entry<Desired>[]>;
  /** One as it is at this moment; undefined: there is no such thing. */
  readNow(db: Queryable, drift: Drift<Kind>): Promise<Entry<Desired> | undefined>;
  /** Makes it what is desired, and stores what is known then. */
  apply(provider: Provider, desired: Desired, operation: Operation): Promise<Applied>;
  remove(provider: Provider, drift: Drift<Kind>, operation: Operation): Promise<unknown>;
}

/** Brings back what somebody else has changed or deleted, names it in the audit log of its account, and finishes what
 *  a request could not wait for. */
export class DriftReconciler<Provider, Desired, Kind extends string> {
  readonly #options: DriftOptions;
  readonly #of: Drifting<Provider, Desired, Kind>;

  constructor(options: DriftOptions, of: Drifting<Provider, Desired, Kind>) {
    this.#options = options;
    this.#of = of;
  }

  run = async (): Promise<void> => {
    for (const regionId of this.#options.regionIds()) {
      const provider = this.#of.providerOf(regionId);
      if (!provider?.look || !((await provider.mayLook?.()) ?? true)) continue;
      try {
        await this.#region(regionId, provider);
      } catch (error) {
        const says = `${this.#of.noun} could not be reconciled: ${messageOf(error)}`;
        this.#options.log.warn({ err: error, regionId }, says);
      }
    }
  };

  async #region(regionId: number, provider: Provider & Looks<Desired, Kind>): Promise<void> {
    const entries = await this.#of.readAll(this.#options.db, regionId);
    const held = new Set(entries.filter(({ isHeld }) => isHeld).map(({ id }) => id));
    const desired = entries.flatMap((each) => (each.isHeld || each.desired === null ? [] : [each.desired]));
    for (const drift of (await provider.look?.(desired, held)) ?? []) {
      await this.#repair(regionId, provider, drift);
    }
  }

  async #repair(regionId: number, provider: Provider, drift: Drift<Kind>): Promise<void> {
    const { db, log, clock } = this.#options;
    const { kind, id, why } = drift;
    const operation = { key: id, type: `reconcile_${kind}`, name: id, acceptedAt: clock.now() };
    try {
      const entry = await this.#of.readNow(db, drift);
      // A task works on it, or has made it for another region.
      if (entry && (entry.isHeld || entry.regionId !== regionId)) return;
      if (!entry?.desired) return void (await this.#of.remove(provider, drift, operation));
      const { ready, changes = [] } = await this.#of.apply(provider, entry.desired, operation);
      if (!ready || why === 'changed' || changes.length === 0) return;
      const what = changes.join('; ');
      log.warn({ kind, id, why }, `repaired in the cloud: ${what}`);
      const at = clock.timestamp();
      const action = `repair_${kind}`;
      await recordRepair(db, { at, action, subject: id, regionId, projectId: entry.projectId, what });
    } catch (error) {
      log.warn({ err: error, kind, id }, `a ${kind} is not as desired: ${messageOf(error)}`);
    }
  }
}
