import { QuotaExceeded } from '../../kernel/errors.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import { type Amounts, defaultLimit, type Quota, type QuotaName, type QuotaScope } from './model.ts';
import { type Counter, noteReached } from './reached.ts';
import { hasRoom, reserveAtCommit, saw } from './reserve-at-commit.ts';

/** Counters are one row per client, region and name, changed by one conditional UPDATE each. */

const namesOf = (amounts: Amounts) =>
  (Object.keys(amounts) as QuotaName[]).filter((name) => (amounts[name] ?? 0) > 0).sort();

/** Reserves `amounts` of what the scope still has. Call it last in a transaction: unless there is ample room, the
 *  counter row is locked from here to the commit, and every other create of this client waits for it.
 *  @throws QuotaExceeded naming the first quota that does not suffice */
export async function reserve(tx: Tx, scope: QuotaScope, amounts: Amounts): Promise<void> {
  const all = namesOf(amounts).map((name) => ({ name, amount: amounts[name] ?? 0 }));
  // All of them or none, so that counters are always locked in the same order.
  if (all.every(({ name, amount }) => hasRoom(scope, name, amount)))
    for (const { name, amount } of all) reserveAtCommit(tx, scope, name, amount);
  else for (const { name, amount } of all) await reserveOne(tx, scope, name, amount);
}

async function reserveOne(tx: Tx, scope: QuotaScope, name: QuotaName, amount: number): Promise<void> {
  if (await increase(tx, scope, name, amount)) return;
  await tx.run(sql`insert into quota_counters (client_id, region_id, name, quota_limit) values (${scope.clientId}, ${scope.regionId}, ${name}, ${defaultLimit(name)})
     on conflict do nothing`);
  if (await increase(tx, scope, name, amount)) return;
  const { [name]: quota } = await readQuotas(tx, scope, [name]);
  throw new QuotaExceeded(name, quota?.usage ?? 0, amount, quota?.limit ?? 0);
}

async function increase(tx: Tx, scope: QuotaScope, name: QuotaName, amount: number): Promise<boolean> {
  const [counter] = await tx.rows<Counter>(sql`update quota_counters set usage = usage + ${amount}
      where client_id = ${scope.clientId} and region_id = ${scope.regionId} and name = ${name} and usage + ${amount} <= quota_limit
      returning usage, quota_limit`);
  saw(scope, name, counter);
  if (counter)
    await noteReached(tx, { ...scope, name }, counter, { ...counter, usage: counter.usage - amount });
  return counter !== undefined;
}

/** Gives back what was reserved.
 *  @param scope of a task, for example; without a region nothing was */
export async function release(
  tx: Tx,
  scope: { readonly clientId: number; readonly regionId: number | null },
  amounts: Amounts,
): Promise<void> {
  if (scope.regionId === null) return;
  for (const name of namesOf(amounts)) {
    await tx.run(
      sql`update quota_counters set usage = usage - ${amounts[name]} where client_id = ${scope.clientId} and region_id = ${scope.regionId} and name = ${name}`,
    );
  }
}

/** Locks all counters of the scope in the order in which `reserve` locks them: for a transaction that releases in
 *  several calls, so that it and another one never wait for each other. */
export async function lockCounters(tx: Tx, scope: QuotaScope): Promise<void> {
  await tx.run(
    sql`select 1 from quota_counters where client_id = ${scope.clientId} and region_id = ${scope.regionId} order by name for update`,
  );
}

/** Limit and usage of each name; a counter that was never touched has its default limit and no usage. */
export async function readQuotas<N extends QuotaName>(
  db: Queryable,
  scope: QuotaScope,
  names: readonly N[],
): Promise<Record<N, Quota>> {
  const rows = await db.rows<{
    name: N;
    usage: number;
    quota_limit: number;
  }>(sql`select name, usage, quota_limit from quota_counters
      where client_id = ${scope.clientId} and region_id = ${scope.regionId} and name = any(${names}::text[])`);
  const known = new Map(rows.map((row) => [row.name, { limit: row.quota_limit, usage: row.usage }]));
  const entries = names.map((name) => [name, known.get(name) ?? { limit: defaultLimit(name), usage: 0 }]);
  return Object.fromEntries(entries) as Record<N, Quota>;
}

/** All counters of a client that were ever touched. */
export async function readCounters(db: Queryable, clientId: number) {
  return db.rows<{ region_id: number; name: QuotaName; usage: number; quota_limit: number }>(
    sql`select region_id, name, usage, quota_limit from quota_counters where client_id = ${clientId}`,
  );
}

/** Sets limits; one below the usage is fine and keeps anything more from being created. */
export async function setLimits(tx: Tx, scope: QuotaScope, limits: Amounts): Promise<void> {
  for (const [name, limit] of Object.entries(limits).sort()) {
    const [old] = await tx.rows<Counter>(sql`select usage, quota_limit from quota_counters
        where client_id = ${scope.clientId} and region_id = ${scope.regionId} and name = ${name} for update`);
    await tx.run(sql`insert into quota_counters (client_id, region_id, name, quota_limit) values (${scope.clientId}, ${scope.regionId}, ${name}, ${limit})
       on conflict (client_id, region_id, name) do update set quota_limit = excluded.quota_limit`);
    if (old) await noteReached(tx, { ...scope, name }, { ...old, quota_limit: limit }, old);
  }
}
