import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/log.ts';
import { recordRepair } from '../../../platform/audit/audit.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Applied, Drift, NetworkProvider } from '../networks/index.ts';
import { storeRouterGateway } from '../routers/index.ts';
import { readNoun, readNouns } from './nouns.ts';

export interface ReconcilerOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: Clock;
  regionIds(): readonly number[];
  providerOf(regionId: number): NetworkProvider | undefined;
}

/** Brings back what somebody else has changed or deleted, and finishes what a request could not wait for. */
export class NetworkReconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { log, providerOf, regionIds } = this.#options;
    for (const regionId of regionIds()) {
      const provider = providerOf(regionId);
      if (!provider?.look || !((await provider.mayLook?.()) ?? true)) continue;
      try {
        await this.#region(regionId, provider);
      } catch (error) {
        log.warn({ err: error, regionId }, `networks could not be reconciled: ${messageOf(error)}`);
      }
    }
  }

  async #region(regionId: number, provider: NetworkProvider): Promise<void> {
    const entries = await readNouns(this.#options.db, regionId);
    const held = new Set(entries.filter(({ isHeld }) => isHeld).map(({ id }) => id));
    const nouns = entries.flatMap(({ isHeld, desired }) => (isHeld || !desired ? [] : desired));
    for (const drift of (await provider.look?.(nouns, held)) ?? []) {
      await this.#repair(regionId, provider, drift);
    }
  }

  async #repair(regionId: number, provider: NetworkProvider, drift: Drift): Promise<void> {
    const { db, log, clock } = this.#options;
    const { kind, id, why } = drift;
    const operation = { key: id, type: `reconcile_${kind}`, name: id, acceptedAt: clock.now() };
    try {
      const entry = await readNoun(db, drift);
      // A task works on it, or has made it for another region.
      if (entry && (entry.isHeld || entry.regionId !== regionId)) return;
      if (!entry?.desired) return void (await provider.remove({ kind, id }, operation));
      const applied = await provider.apply(entry.desired, operation);
      if (!applied.ready) return;
      await this.#store(id, applied);
      const changes = applied.changes ?? [];
      if (why === 'changed' || changes.length === 0) return;
      const what = changes.join('; ');
      log.warn({ kind, id, why }, `repaired in the cloud: ${what}`);
      const at = clock.timestamp();
      const action = `repair_${kind}`;
      await recordRepair(db, { at, action, subject: id, regionId, projectId: entry.projectId, what });
    } catch (error) {
      log.warn({ err: error, kind, id }, `a ${kind} is not as desired: ${messageOf(error)}`);
    }
  }

  async #store(id: string, { gateway }: Applied): Promise<void> {
    if (gateway) await this.#options.db.transaction((tx) => storeRouterGateway(tx, id, gateway));
  }
}
