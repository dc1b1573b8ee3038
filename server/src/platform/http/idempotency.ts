import { createHash } from 'node:crypto';
import { Conflict, Invalid, Unprocessable } from '../../kernel/errors.ts';
import type { Db, Tx } from '../database/db.ts';
import type { BackgroundJob } from '../feature.ts';
import type { RequestContext } from './context.ts';

/** `Idempotency-Key`: a write that is repeated with the same key and body gets the first one's answer, and is
 *  done once, whatever happens in between. Keys live for a day and belong to a client. */

export interface Answer {
  readonly status: number;
  /** JSON text; null for an answer without a body. */
  readonly body: string | null;
  readonly replayed: boolean;
}

export interface KeyedRequest {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** The answer holds a secret, and is therefore not kept. */
  readonly sensitive: boolean;
  readonly status: number;
}

const KEPT_HOURS = 24;
/** A request that has neither committed nor answered for this long is taken for dead. */
const DEAD_AFTER_S = 60;

interface KeyRow {
  readonly request: Buffer;
  readonly attempt: string;
  readonly applied: boolean;
  readonly status: number | null;
  readonly answer: string | null;
  readonly started_at: Date;
}

/** @throws Invalid for a key of no or more than 255 visible ASCII characters */
export function checkKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new Invalid({ 'Idempotency-Key': ['must be 1 to 255 visible ASCII characters'] }, 'headers');
}

/** Does the work once for its key.
 *  @param work gets a database whose transactions are fenced
 *  @throws Unprocessable for another request under the same key, Conflict while the first is running */
export async function once(
  ctx: RequestContext,
  request: KeyedRequest,
  work: (db: Db) => Promise<unknown>,
): Promise<Answer> {
  const attempt = ctx.ids.uuid();
  const kept = await begin(ctx, request, attempt);
  if (kept) return kept;
  const id = { clientId: ctx.caller.clientId, key: request.key, attempt };
  try {
    const result = await work(fenced(ctx.db, id, request));
    const body = request.status === 204 ? null : (JSON.stringify(result) ?? '');
    await finish(ctx.db, id, request, body);
    return { status: request.status, body, replayed: false };
  } catch (error) {
    await forget(ctx.db, id);
    throw error;
  }
}

async function begin(
  ctx: RequestContext,
  request: KeyedRequest,
  attempt: string,
): Promise<Answer | undefined> {
  const { clientId } = ctx.caller;
  const hash = createHash('sha256')
    .update(JSON.stringify([request.method, request.path, request.body ?? null]))
    .digest();
  const taken = await ctx.db.named(
    'idempotency_begin',
    `insert into idempotency_keys as k (client_id, key, request, attempt, started_at)
     values ($1, $2, $3, $4, $5)
     on conflict (client_id, key) do update set request = excluded.request, attempt = excluded.attempt,
       started_at = excluded.started_at, applied = false, status = null, answer = null
     where k.started_at < excluded.started_at - interval '${KEPT_HOURS} hours'
        or (k.request = excluded.request and not k.applied and k.status is null
            and k.started_at < excluded.started_at - interval '${DEAD_AFTER_S} seconds')
     returning 1`,
    [clientId, request.key, hash, attempt, ctx.clock.timestamp()],
  );
  if (taken.length === 1) return undefined;
  return replay(ctx, request, hash);
}

async function replay(ctx: RequestContext, request: KeyedRequest, hash: Buffer): Promise<Answer> {
  const [row] = await ctx.db.named<KeyRow>(
    'idempotency_read',
    'select request, attempt, applied, status, answer, started_at from idempotency_keys where client_id = $1 and key = $2',
    [ctx.caller.clientId, request.key],
  );
  if (row && !row.request.equals(hash)) {
    throw new Unprocessable('This Idempotency-Key was used for another request; use a new key');
  }
  if (row?.status != null && (row.answer !== null || row.status === 204)) {
    return { status: row.status, body: row.answer, replayed: true };
  }
  // Between the commit and the note of its answer a request still counts as running.
  const dead = row && ctx.clock.now().getTime() - row.started_at.getTime() > DEAD_AFTER_S * 1000;
  if (row?.status != null || (row?.applied && dead)) {
    throw new Conflict(
      'The first request with this Idempotency-Key was carried out, but its answer is not kept',
    );
  }
  throw new Conflict('The first request with this Idempotency-Key is still running', { retryAfterMs: 1000 });
}

interface KeyId {
  readonly clientId: number;
  readonly key: string;
  readonly attempt: string;
}

/** A database whose transactions commit only while this request is the one that holds its key. */
function fenced(db: Db, id: KeyId, request: KeyedRequest): Db {
  const transaction = <T>(work: (tx: Tx) => Promise<T>) =>
    db.transaction(async (tx) => {
      const result = await work(tx);
      const held = await tx.named(
        'idempotency_apply',
        `update idempotency_keys set applied = true, status = $4, answer = $5
          where client_id = $1 and key = $2 and attempt = $3 returning 1`,
        [id.clientId, id.key, id.attempt, ...early(result, request)],
      );
      if (held.length === 0) throw new Conflict('This request was given up for dead', { retryAfterMs: 1000 });
      return result;
    });
  return Object.create(db, { transaction: { value: transaction } }) as Db;
}

/** What a transaction returns is the answer of a write that starts tasks: kept with it, it survives a crash. */
function early(result: unknown, request: KeyedRequest): [number | null, string | null] {
  const isTaskRef = typeof result === 'object' && result !== null && Object.keys(result).join() === 'tasks';
  return isTaskRef && !request.sensitive ? [request.status, JSON.stringify(result)] : [null, null];
}

async function finish(db: Db, id: KeyId, request: KeyedRequest, body: string | null): Promise<void> {
  await db.named(
    'idempotency_finish',
    `update idempotency_keys set applied = true, status = $4, answer = $5
      where client_id = $1 and key = $2 and attempt = $3`,
    [id.clientId, id.key, id.attempt, request.status, request.sensitive ? null : body],
  );
}

/** A refused or failed request did nothing and may be tried again under its key. */
async function forget(db: Db, id: KeyId): Promise<void> {
  await db.named(
    'idempotency_forget',
    'delete from idempotency_keys where client_id = $1 and key = $2 and attempt = $3 and not applied',
    [id.clientId, id.key, id.attempt],
  );
}

/** Forgets keys after a day. */
export function forgetOldKeys(db: Db): BackgroundJob {
  return {
    name: 'idempotency-keys-cleanup',
    everyMs: 10 * 60_000,
    exclusive: true,
    run: async () => {
      await db.named(
        'idempotency_cleanup',
        `delete from idempotency_keys where started_at < now() - interval '${KEPT_HOURS} hours'`,
        [],
      );
    },
  };
}
