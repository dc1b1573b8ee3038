import { Conflict, Invalid, PermissionDenied, TooManyRequests, Unprocessable } from '../../kernel/errors.ts';
import type { Caller } from '../auth/caller.ts';
import { includes } from '../auth/roles.ts';
import type { Db, Tx } from '../database/db.ts';
import { forgetOld, inBatches, SOME } from '../database/forget-old.ts';
import { isDatabaseLost } from '../database/outage.ts';
import { raw, type Sql, sql } from '../database/sql.ts';
import type { BackgroundJob } from '../feature.ts';
import { tryCount } from '../limits/limits.ts';
import type { Cipher, Sealed } from '../secrets/cipher.ts';
import type { RequestContext } from './context.ts';
import type { DeferredWrites } from './deferred-writes.ts';
import { RawReply } from './route.ts';

/** `Idempotency-Key`: a write that is repeated with the same key and body gets the first one's answer, and is
 *  done once, whatever happens in between. Keys live for a day and belong to a client; the answer is for whoever made
 *  the first request, with no lesser role than then. What is kept is encrypted, and of the request only a digest that
 *  nobody can compute without the master key. */

export interface Answer {
  readonly status: number;
  /** JSON text; null for an answer without a body. */
  readonly body: string | null;
  readonly replayed: boolean;
  /** Of the first answer alone: cookies are not given again. */
  readonly headers?: Readonly<Record<string, string>>;
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
/** Characters of an answer that is kept; of a longer one only that it was given. */
const LONGEST_KEPT = 65_536;
/** Requests with a key that a client may make in a day; kept are those of two days at most. */
export const DAILY_KEYS = 100_000;
/** Of all clients together the oldest are forgotten before their day is over, and the answers of a client beyond so
 *  many bytes: the answer to a repeated request is then that it was carried out. */
export const KEPT_IN_ALL = { keys: 1_000_000, bytesOfClient: 64 * 1024 * 1024 } as const;
/** A request that has neither committed nor answered counts as dead after this long, or when nothing was heard of its
 *  process for so long. One that lives nevertheless can no longer commit once its key has been given to another. */
const DEAD_AFTER_S = 60;
const SILENT_S = 10;
/** @param now SQL of what time it is */
const isDead = (now: Sql): Sql => sql`(k.started_at < ${now} - interval '${raw(DEAD_AFTER_S)} seconds'
  or (k.session is not null and not exists (
    select from nodes n where n.session = k.session and n.seen_at > now() - interval '${raw(SILENT_S)} seconds')))`;

interface KeyRow {
  readonly request: Buffer;
  readonly caller: string;
  readonly role: Caller['role'];
  readonly applied: boolean;
  readonly status: number | null;
  readonly key_id: string | null;
  readonly sealed: Buffer | null;
  readonly dead: boolean;
}

/** What this process is to the others, and what it has to tell the database yet. */
export interface KeyStore {
  /** Undefined before the others know it. */
  readonly session: () => string | undefined;
  readonly deferredWrites: DeferredWrites;
}

const PURPOSE = 'idempotency';
/** Sessions of a person are one caller, and each API token is one. */
const nameOf = ({ tokenId, userId }: Caller) => (tokenId ? `token ${tokenId}` : `user ${userId}`);
const contentOf = ({ method, path, body }: KeyedRequest) => JSON.stringify([method, path, body ?? null]);

/** @throws Invalid for a key of no or more than 255 visible ASCII characters */
export function checkKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new Invalid({ 'Idempotency-Key': ['must be 1 to 255 visible ASCII characters'] }, 'headers');
}

/** Does the work once for its key.
 *  @param keyStore of keys, one for each process
 *  @param work gets a database whose transactions are fenced
 *  @throws Unprocessable for another request under the same key, Conflict while the first is running */
export async function once(
  ctx: RequestContext,
  request: KeyedRequest,
  { session, deferredWrites }: KeyStore,
  work: (db: Db) => Promise<unknown>,
): Promise<Answer> {
  const id = {
    clientId: ctx.caller.clientId,
    key: request.key,
    attempt: ctx.ids.uuid(),
    cipher: ctx.cipher,
    session: session(),
  };
  await countKey(ctx);
  const kept = await begin(ctx, request, id).catch(async (error) => {
    // Nobody knows whether it has begun.
    if (isDatabaseLost(error)) await deferredWrites.run(() => forget(ctx.db, id));
    throw error;
  });
  if (kept) return kept;
  try {
    const result = await work(fenced(ctx.db, id, request));
    const { text, headers } = writtenAnswer(result);
    const body = request.status === 204 ? null : text;
    await deferredWrites.run(() => finish(ctx.db, id, request, body));
    return { status: request.status, body, replayed: false, headers };
  } catch (error) {
    await deferredWrites.run(() => forget(ctx.db, id));
    throw error;
  }
}

/** What a handler has answered, as JSON text with headers of its own. */
function writtenAnswer(result: unknown): { text: string; headers: Readonly<Record<string, string>> } {
  if (!(result instanceof RawReply)) return { text: JSON.stringify(result) ?? '', headers: {} };
  return { text: String(result.payload), headers: result.headers };
}

/** @throws TooManyRequests */
async function countKey(ctx: RequestContext): Promise<void> {
  const key = `idempotency keys of client ${ctx.caller.clientId}`;
  const waitMs = await tryCount(ctx, [{ key, points: DAILY_KEYS, seconds: KEPT_HOURS * 3600 }]);
  if (waitMs === undefined) return;
  throw new TooManyRequests(
    waitMs,
    `This account has made ${DAILY_KEYS} requests with an Idempotency-Key in a day`,
  );
}

async function begin(
  ctx: RequestContext,
  request: KeyedRequest,
  { attempt, session }: KeyId,
): Promise<Answer | undefined> {
  const { caller, cipher } = ctx;
  const digest = cipher.sign(contentOf(request), PURPOSE);
  const begun = await ctx.db.any(sql`
    insert into idempotency_keys as k (client_id, key, request, attempt, started_at, caller, role, session)
    values (${caller.clientId}, ${request.key}, ${digest}, ${attempt}, ${ctx.clock.timestamp()}, ${nameOf(caller)},
            ${caller.role}, ${session ?? null})
    on conflict (client_id, key) do update set request = excluded.request, attempt = excluded.attempt,
      started_at = excluded.started_at, caller = excluded.caller, role = excluded.role, applied = false,
      session = excluded.session, status = null, key_id = null, sealed = null
    where k.started_at < excluded.started_at - interval '${raw(KEPT_HOURS)} hours'
       or (k.request = excluded.request and k.caller = excluded.caller and not k.applied and k.status is null
           and ${isDead(sql`excluded.started_at`)})
    returning 1`);
  if (begun) return undefined;
  return replay(ctx, request);
}

async function replay(ctx: RequestContext, request: KeyedRequest): Promise<Answer> {
  const now = sql`${ctx.clock.timestamp()}::timestamptz`;
  const row = await ctx.db.row<KeyRow>(sql`
    select request, caller, role, applied, status, key_id, sealed, ${isDead(now)} as dead from idempotency_keys k
     where client_id = ${ctx.caller.clientId} and key = ${request.key}`);
  if (row) checkCaller(ctx, request, row);
  const answer = row && answerOf(ctx.cipher, request.key, row);
  if (answer) return answer;
  // Between the commit and the note of its answer a request still counts as running.
  if (row?.status != null || (row?.applied && row.dead)) {
    throw new Conflict(
      'The first request with this Idempotency-Key was carried out, but its answer is not kept',
    );
  }
  throw new Conflict('The first request with this Idempotency-Key is still running', { retryAfterMs: 1000 });
}

/** @throws Unprocessable for another request or caller, PermissionDenied for one with less rights than then */
function checkCaller({ caller, cipher }: RequestContext, request: KeyedRequest, row: KeyRow): void {
  if (row.caller !== nameOf(caller)) {
    throw new Unprocessable('This Idempotency-Key was used by another caller; use a new key');
  }
  if (!cipher.verify(contentOf(request), PURPOSE, row.request)) {
    throw new Unprocessable('This Idempotency-Key was used for another request; use a new key');
  }
  if (!includes(caller.role, row.role)) {
    throw new PermissionDenied(
      `The first request with this Idempotency-Key needed the role ${row.role}; this caller has ${caller.role} now`,
    );
  }
}

/** The kept answer; none for a request that runs, and when the answer or its master key is gone. */
function answerOf(cipher: Cipher, key: string, row: KeyRow): Answer | undefined {
  const { status, key_id: keyId, sealed: box } = row;
  if (status === 204) return { status, body: null, replayed: true };
  if (status === null || keyId === null || box === null || !cipher.keyIds.includes(keyId)) return undefined;
  return { status, body: cipher.open({ keyId, box }, contextOf(key)), replayed: true };
}

const contextOf = (key: string) => `idempotency key ${key}`;

interface KeyId {
  readonly clientId: number;
  readonly key: string;
  readonly attempt: string;
  readonly session: string | undefined;
  readonly cipher: Cipher;
}

/** A database whose transactions commit only while this request is the one that holds its key. */
function fenced(db: Db, id: KeyId, request: KeyedRequest): Db {
  const transaction = <T>(work: (tx: Tx) => Promise<T>) =>
    db.transaction(async (tx) => {
      const result = await work(tx);
      const held = await tx.any(sql`${applied(id, early(result, request, id))} returning 1`);
      if (!held)
        throw new Conflict('This request took too long, and was not carried out; send it again', {
          retryAfterMs: 1000,
        });
      return result;
    });
  return Object.create(db, { transaction: { value: transaction } }) as Db;
}

/** An answer, as far as it may be kept. */
interface KeptAnswer {
  readonly status: number | null;
  readonly sealed: Sealed | undefined;
}

/** Notes that what a request does is done, with its answer. */
const applied = ({ clientId, key, attempt }: KeyId, { status, sealed }: KeptAnswer): Sql =>
  sql`update idempotency_keys set applied = true, status = ${status}, key_id = ${sealed?.keyId ?? null},
             sealed = ${sealed?.box ?? null}
       where client_id = ${clientId} and key = ${key} and attempt = ${attempt}`;

/** What a transaction returns is the answer of a write that starts tasks: kept with it, it survives a crash. */
function early(result: unknown, request: KeyedRequest, id: KeyId): KeptAnswer {
  const isTaskRef = typeof result === 'object' && result !== null && Object.keys(result).join() === 'tasks';
  return isTaskRef ? kept(id, request, JSON.stringify(result)) : { status: null, sealed: undefined };
}

function kept(id: KeyId, request: KeyedRequest, body: string | null): KeptAnswer {
  const { status, sensitive } = request;
  if (body === null || sensitive || body.length > LONGEST_KEPT) return { status, sealed: undefined };
  return { status, sealed: id.cipher.seal(body, contextOf(id.key)) };
}

const finish = (db: Db, id: KeyId, request: KeyedRequest, body: string | null): Promise<void> =>
  db.run(applied(id, kept(id, request, body)));

/** A refused or failed request did nothing and may be tried again under its key. */
async function forget(db: Db, id: KeyId): Promise<void> {
  await db.run(
    sql`delete from idempotency_keys where client_id = ${id.clientId} and key = ${id.key} and attempt = ${id.attempt} and not applied`,
  );
}

/** Forgets keys after a day, and what is too much before. */
export function forgetOldKeys(db: Db, keep: Kept = KEPT_IN_ALL): BackgroundJob {
  return {
    name: 'idempotency-keys-cleanup',
    everyMs: 10 * 60_000,
    exclusive: true,
    run: async () => {
      await forgetKeys(db, keep);
      await forgetAnswers(db, keep);
    },
  };
}

interface Kept {
  readonly keys: number;
  readonly bytesOfClient: number;
}

/** Requests that still run keep their key, unless it is too old: without it they could be done twice. */
async function forgetKeys(db: Db, { keys }: Kept): Promise<void> {
  const ages = await db.row<{
    old: string;
    oldestKept: string | null;
  }>(sql`select (now() - interval '${raw(KEPT_HOURS)} hours')::text as old, (
       select started_at::text from idempotency_keys order by started_at desc offset ${keys - 1} limit 1) as "oldestKept"`);
  if (!ages) return;
  const old = { table: 'idempotency_keys', by: 'started_at' };
  await forgetOld(db, { ...old, before: ages.old });
  if (ages.oldestKept === null) return;
  await forgetOld(db, { ...old, where: 'status is not null', before: ages.oldestKept });
}

/** Only where all of them together are more than one client may have are they counted by client. */
async function forgetAnswers(db: Db, { bytesOfClient }: Kept): Promise<void> {
  const beyond = await db.rows<{
    client: number;
    newest: string;
  }>(sql`select client_id as client, max(started_at)::text as newest from (
       select client_id, started_at,
              sum(octet_length(sealed)) over (partition by client_id order by started_at desc, key) as bytes
         from idempotency_keys
        where sealed is not null and (select pg_table_size('idempotency_keys')) > ${bytesOfClient}) answers
      where bytes > ${bytesOfClient} group by client_id`);
  for (const { client, newest } of beyond) await inBatches(() => forgetSomeAnswers(db, client, newest));
}

async function forgetSomeAnswers(db: Db, client: number, newest: string): Promise<number> {
  const rows =
    await db.rows(sql`update idempotency_keys set key_id = null, sealed = null where ctid = any(array(
       select ctid from idempotency_keys
        where client_id = ${client} and started_at <= ${newest} and sealed is not null and status is not null
        order by started_at limit ${raw(SOME)}))
     returning 1`);
  return rows.length;
}
