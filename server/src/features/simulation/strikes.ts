import type { Db } from '../../platform/database/db.ts';
import { SharedLookUp } from '../../platform/database/shared-look-up.ts';
import type { StrikesOf } from './port.ts';
import { counts, strikes } from './rules.ts';
import { countAttempt, type FaultRow, readFaults } from './store.ts';

/** What the faults in the database do to operations. Operations that ask at the same moment share a statement. */
export function simulatedStrikes(db: Db, seed: string): StrikesOf {
  const faults = new SharedLookUp(async (keys: readonly string[]) => grouped(await readFaults(db, keys)));
  return async (regionId, operation) => {
    const { type: kind, subject: name = operation.name } = operation;
    const found = (await faults.get(`${regionId}/${kind}`)) ?? [];
    let delayMs = 0;
    let failure: string | undefined;
    for (const fault of found) {
      const { rule } = fault;
      if (rule.name !== undefined && rule.name !== name) continue;
      const judge = (attempt: number) => strikes(rule, attempt, { seed, kind, name: operation.name });
      const struck = counts(rule)
        ? await countAttempt(db, fault, { key: operation.key, name }, judge)
        : judge(1);
      if (!struck) continue;
      delayMs += (rule.delay_seconds ?? 0) * 1000;
      const fails = rule.fail ?? rule.delay_seconds === undefined;
      if (fails) failure ??= rule.message ?? `Simulated fault: ${kind} of ${name} fails in this region`;
    }
    return { delayMs, failure };
  };
}

function grouped(rows: readonly FaultRow[]): ReadonlyMap<string, readonly FaultRow[]> {
  const groups = new Map<string, FaultRow[]>();
  for (const row of rows) {
    const key = `${row.region_id}/${row.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}
