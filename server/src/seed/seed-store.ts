import { insertToken } from '../features/iam/index.ts';
import { hashToken } from '../platform/auth/caller.ts';
import type { TokenRole } from '../platform/auth/roles.ts';
import type { Db, Tx } from '../platform/database/db.ts';
import { sql } from '../platform/database/sql.ts';
import { waitForTurn } from '../startup/start-turns.ts';
import type { Made } from './seed-file.ts';

export interface SeedCallRow extends Made {
  readonly position: number;
  readonly digest: Buffer;
  readonly attempt: number;
  readonly task_ids: readonly string[];
  readonly done: boolean;
}

/** Notes that this first run has calls to begin with. */
export async function planSeed(tx: Tx): Promise<void> {
  await tx.run(sql`insert into seeds default values`);
}

/** @returns undefined when the cloud began without one */
export async function readSeed(db: Db): Promise<{ readonly done: boolean } | undefined> {
  return db.row<{ done: boolean }>(sql`select done_at is not null as done from seeds`);
}

export function readSeedCalls(db: Db): Promise<SeedCallRow[]> {
  return db.rows<SeedCallRow>(sql`select * from seed_calls order by position`);
}

export async function saveSeedCall(db: Db, row: SeedCallRow): Promise<void> {
  await db.run(sql`insert into seed_calls (position, digest, attempt, task_ids, id, created, done)
     values (${row.position}, ${row.digest}, ${row.attempt}, ${row.task_ids}, ${JSON.stringify(row.id)}::jsonb,
             ${JSON.stringify(row.created)}::jsonb, ${row.done})
     on conflict (position) do update set digest = excluded.digest, attempt = excluded.attempt,
       task_ids = excluded.task_ids, id = excluded.id, created = excluded.created, done = excluded.done`);
}

/** A token of the first client for these calls; there once, however often it is asked for. */
export async function keepSeedToken(
  db: Db,
  token: string,
  role: TokenRole,
  timestamp: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await waitForTurn(tx);
    const known = await tx.rows(sql`select 1 from api_tokens where hash = ${hashToken(token)}`);
    if (known.length > 0) return;
    await insertToken(tx, {
      clientId: 1,
      userId: 1,
      role,
      name: 'VIRGA_SEED_FILE',
      description: '',
      hash: hashToken(token),
      expiresAt: null,
      timestamp,
    });
  });
}

/** What was begun for a call by a process that is gone, and did nothing, is not waited for. */
export async function forgetSeedAttempts(db: Db, prefix: string): Promise<void> {
  await db.run(
    sql`delete from idempotency_keys where client_id = 1 and key like ${`${prefix}%`} and not applied and status is null`,
  );
}

/** All calls are done: their tokens go. */
export async function endSeed(db: Db, tokens: readonly string[], timestamp: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`update seeds set done_at = ${timestamp} where done_at is null`);
    await tx.run(
      sql`update api_tokens set deleted_at = ${timestamp} where hash = any(${tokens.map(hashToken)}) and deleted_at is null`,
    );
  });
}
