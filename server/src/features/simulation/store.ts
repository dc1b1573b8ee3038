import type { Db, Queryable, Tx } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { RegionSettings } from '../regions/index.ts';
import { CONDITION_KINDS } from './kinds.ts';
import type { FaultRule } from './rules.ts';

const FAULT_COLUMNS = ['id', 'region_id', 'source', 'kind', 'rule', 'created_at'] as const;
const COLUMNS = listOf(FAULT_COLUMNS, 'f');

export type FaultRow = RowOf<
  'simulated_faults',
  typeof FAULT_COLUMNS,
  { source: 'file' | 'call'; rule: FaultRule }
>;

export interface CountedFault extends FaultRow {
  readonly attempts: number;
  readonly struck: number;
}

/** Those of several regions and kinds at once.
 *  @param keys `region/kind` */
export function readFaults(db: Queryable, keys: readonly string[]): Promise<FaultRow[]> {
  const pairs = keys.map((key) => key.split('/'));
  return db.rows<FaultRow>(sql`select ${COLUMNS} from simulated_faults f
       join unnest((select ${pairs.map(([region]) => Number(region))}::int[]), (select ${pairs.map(([, kind]) => kind)}::text[])) as asked (region_id, kind) using (region_id, kind)
      order by f.created_at, f.id`);
}

export function listFaults(db: Queryable, regionId: number): Promise<CountedFault[]> {
  return db.rows<CountedFault>(sql`select ${COLUMNS}, count(a.operation)::int as attempts, count(a.operation) filter (where a.struck)::int as struck
       from simulated_faults f left join simulated_fault_attempts a on a.fault_id = f.id
      where f.region_id = ${regionId} group by f.id order by f.created_at, f.id`);
}

export async function insertFault(
  tx: Queryable,
  row: Omit<FaultRow, 'created_at'>,
  at: string,
): Promise<void> {
  await tx.run(
    sql`insert into simulated_faults (id, region_id, source, kind, rule, created_at) values (${row.id}, ${row.region_id}, ${row.source}, ${row.kind}, ${JSON.stringify(row.rule)}::jsonb, ${at})`,
  );
}

/** @param id undefined: all of the region
 *  @returns how many there were */
export async function deleteFaults(tx: Queryable, regionId: number, id?: string): Promise<number> {
  const rows = await tx.rows(
    sql`delete from simulated_faults where region_id = ${regionId} and (${id ?? null}::uuid is null or id = ${id ?? null}) returning 1`,
  );
  return rows.length;
}

export interface FileFault {
  readonly kind: string;
  readonly rule: FaultRule;
}

/** What the settings of a region let go wrong: rates of kinds of work, and rules. */
export function fileFaultsOf({ faults = {}, fault_rules = [] }: RegionSettings): FileFault[] {
  const isCondition = (kind: string) => CONDITION_KINDS.some((condition) => condition === kind);
  const rates = Object.entries(faults).filter(([kind]) => !isCondition(kind));
  return [...rates.map(([kind, rate]) => ({ kind, rule: { rate } })), ...fault_rules];
}

/** Makes the faults of the file those that it names now; one that has not changed goes on counting. */
export async function keepFileFaults(
  tx: Tx,
  regionId: number,
  faults: readonly FileFault[],
  { uuid, at }: { uuid: () => string; at: string },
): Promise<void> {
  const known = await tx.rows<{ id: string; kind: string; rule: FaultRule }>(
    sql`select id, kind, rule from simulated_faults where region_id = ${regionId} and source = 'file'`,
  );
  const keyOf = ({ kind, rule }: FileFault) => JSON.stringify([kind, Object.entries(rule).sort()]);
  const requested = new Map(faults.map((fault) => [keyOf(fault), fault]));
  for (const row of known) {
    if (!requested.delete(keyOf(row))) await deleteFaults(tx, regionId, row.id);
  }
  for (const { kind, rule } of requested.values()) {
    await insertFault(tx, { id: uuid(), region_id: regionId, source: 'file', kind, rule }, at);
  }
}

/** Counts an operation as an attempt, once, and says how that was judged.
 *  @param judge gets the attempt's number
 *  @returns false when the fault is gone */
export async function countAttempt(
  db: Db,
  fault: FaultRow,
  operation: { readonly key: string; readonly name: string },
  judge: (attempt: number) => boolean,
): Promise<boolean> {
  const known = await readAttempt(db, fault.id, operation.key);
  if (known !== undefined) return known;
  return db.transaction(async (tx) => {
    // Attempts of one fault are counted one after another, over all nodes.
    const held = await tx.rows(sql`select 1 from simulated_faults where id = ${fault.id} for update`);
    if (held.length === 0) return false;
    const meanwhile = await readAttempt(tx, fault.id, operation.key);
    if (meanwhile !== undefined) return meanwhile;
    const name = fault.rule.first === undefined ? null : operation.name;
    const [row] = await tx.rows<{
      count: number;
    }>(sql`select count(*)::int as count from simulated_fault_attempts
        where fault_id = ${fault.id} and (${name}::text is null or name = ${name})`);
    const struck = judge((row?.count ?? 0) + 1);
    await tx.run(
      sql`insert into simulated_fault_attempts (fault_id, operation, name, struck) values (${fault.id}, ${operation.key}, ${operation.name}, ${struck})`,
    );
    return struck;
  });
}

async function readAttempt(db: Queryable, faultId: string, operation: string): Promise<boolean | undefined> {
  const [row] = await db.rows<{ struck: boolean }>(
    sql`select struck from simulated_fault_attempts where fault_id = ${faultId} and operation = ${operation}`,
  );
  return row?.struck;
}
