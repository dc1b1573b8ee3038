import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import { recordRepair } from '../../platform/audit/audit.ts';
import type { Db } from '../../platform/database/db.ts';
import type { GroupDrift, SecurityGroupProvider } from './port.ts';
import { readGroups, readGroupsIn } from './store.ts';

export interface GroupReconcilerOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: Clock;
  regionIds(): readonly number[];
  providerOf(regionId: number): SecurityGroupProvider | undefined;
}

/** Brings back groups that somebody else has changed or deleted. */
export class GroupReconciler {
  readonly #options: GroupReconcilerOptions;

  constructor(options: GroupReconcilerOptions) {
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
        log.warn({ err: error, regionId }, `security groups could not be reconciled: ${messageOf(error)}`);
      }
    }
  }

  async #region(regionId: number, provider: SecurityGroupProvider): Promise<void> {
    const rows = await readGroupsIn(this.#options.db, regionId);
    const held = new Set(rows.filter((row) => row.task_id !== null).map(({ id }) => id));
    const free = rows.filter((row) => row.task_id === null).map(({ id, rules }) => ({ id, rules }));
    for (const drift of (await provider.look?.(free, held)) ?? []) {
      await this.#repair(regionId, provider, drift);
    }
  }

  async #repair(regionId: number, provider: SecurityGroupProvider, { id, why }: GroupDrift): Promise<void> {
    const { db, log, clock } = this.#options;
    const operation = { key: id, type: 'reconcile_security_group', name: id, acceptedAt: clock.now() };
    try {
      const [row] = await readGroups(db, [id]);
      if (row && (row.task_id !== null || row.region_id !== regionId)) return;
      if (!row) return void (await provider.removeSecurityGroup(id, operation));
      const applied = await provider.applySecurityGroup({ id, rules: row.rules }, operation);
      const changes = applied.changes ?? [];
      if (!applied.ready || why === 'changed' || changes.length === 0) return;
      const what = changes.join('; ');
      log.warn({ id, why }, `repaired in the cloud: ${what}`);
      const repair = { at: clock.timestamp(), action: 'repair_security_group', subject: id, what };
      await recordRepair(db, Object.assign({ regionId, projectId: row.project_id }, repair));
    } catch (error) {
      log.warn({ err: error, id }, `a security group is not as desired: ${messageOf(error)}`);
    }
  }
}
