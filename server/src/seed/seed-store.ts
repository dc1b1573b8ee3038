import { insertToken } from '../features/iam/index.ts';
import { hashToken } from '../platform/auth/caller.ts';
import type { TokenRole } from '../platform/auth/roles.ts';
import type { Db, Tx } from '../platform/database/db.ts';
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
  await tx.named('seed_plan', 'insert into seeds default values', []);
}

/** @returns undefined when the cloud began without one */
export async function readSeed(db: Db): Promise<{ readonly done: boolean } | undefined> {
  return db.namedRow<{ done: boolean }>('seed_read', 'select done_at is not null as done from seeds', []);
}

export function readSeedCalls(db: Db): Promise<SeedCallRow[]> {
  return db.named<SeedCallRow>('seed_calls_read', 'select * from seed_calls order by position', []);
}

export async function saveSeedCall(db: Db, row: SeedCallRow): Promise<void> {
  await db.named(
    'seed_call_save',
    `insert into seed_calls (position, digest, attempt, task_ids, id, created, done)
     values ($1, $2, $3, $4, $5::jsonb, $6::jsonb, $7)
     on conflict (position) do update set digest = $2, attempt = $3, task_ids = $4, id = $5::jsonb,
       created = $6::jsonb, done = $7`,
    [
      row.position,
      row.digest,
      row.attempt,
      row.task_ids,
      JSON.stringify(row.id),
      JSON.stringify(row.created),
      row.done,
    ],
  );
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
    const known = await tx.named('seed_token_known', 'select 1 from api_tokens where hash = $1', [
      hashToken(token),
    ]);
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
  await db.named(
    'seed_attempts_forget',
    'delete from idempotency_keys where client_id = 1 and key like $1 and not applied and status is null',
    [`${prefix}%`],
  );
}

/** All calls are done: their tokens go. */
export async function endSeed(db: Db, tokens: readonly string[], timestamp: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.named('seed_end', 'update seeds set done_at = $1 where done_at is null', [timestamp]);
    await tx.named(
      'seed_tokens_end',
      'update api_tokens set deleted_at = $2 where hash = any($1) and deleted_at is null',
      [tokens.map(hashToken), timestamp],
    );
  });
}
