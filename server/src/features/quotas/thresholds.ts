import { nullable, offsetTime } from '../../kernel/codecs.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { listOf, type RowOf } from '../../platform/database/rows.ts';
import { sql } from '../../platform/database/sql.ts';
import type { ClientContext } from '../../platform/http/context.ts';
import { DEFAULT_THRESHOLD } from './model.ts';
import { THRESHOLD_LOCK } from './reached.ts';
import type { PutThreshold, Threshold, ThresholdMessage } from './schema.ts';

const COLUMNS = ['threshold', 'last_message', 'last_sending'] as const;

type ThresholdRow = RowOf<'quota_thresholds', typeof COLUMNS, { last_message: ThresholdMessage | null }>;

const NEVER_SET: ThresholdRow = { threshold: DEFAULT_THRESHOLD, last_message: null, last_sending: null };

async function read(db: Queryable, clientId: number): Promise<ThresholdRow> {
  const [row] = await db.rows<ThresholdRow>(
    sql`select ${listOf(COLUMNS)} from quota_thresholds where client_id = ${clientId}`,
  );
  return row ?? NEVER_SET;
}

function view(clientId: number, row: ThresholdRow): Threshold {
  return {
    client_id: clientId,
    threshold: row.threshold,
    last_message: row.last_message,
    last_sending: nullable(offsetTime)(row.last_sending),
  };
}

/** One that was never set reads as the default. */
export async function getThreshold(ctx: ClientContext): Promise<Threshold> {
  return view(ctx.clientId, await read(ctx.db, ctx.clientId));
}

/** Sets the threshold; `last_message` and `last_sending` are stored as sent and stay when they are left out. */
export async function putThreshold(ctx: ClientContext, input: PutThreshold): Promise<Threshold> {
  return ctx.db.transaction(async (tx) => {
    await lockThreshold(tx, ctx.clientId);
    const old = await read(tx, ctx.clientId);
    const message = input.last_message === undefined ? old.last_message : input.last_message;
    const sending = input.last_sending === undefined ? old.last_sending : input.last_sending;
    await tx.run(sql`insert into quota_thresholds (client_id, threshold, last_message, last_sending) values (${ctx.clientId}, ${input.threshold}, ${message && JSON.stringify(message)}, ${sending})
       on conflict (client_id) do update set threshold = excluded.threshold,
         last_message = excluded.last_message, last_sending = excluded.last_sending`);
    await judgeAnew(tx, ctx.clientId, old.threshold, input.threshold);
    await recordAudit(tx, ctx, { action: 'set_quota_threshold', subject: ctx.clientId });
    return view(ctx.clientId, await read(tx, ctx.clientId));
  });
}

/** Back to the default, and to never having sent anything. */
export async function deleteThreshold(ctx: ClientContext): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockThreshold(tx, ctx.clientId);
    const old = await read(tx, ctx.clientId);
    await tx.run(sql`delete from quota_thresholds where client_id = ${ctx.clientId}`);
    await judgeAnew(tx, ctx.clientId, old.threshold, DEFAULT_THRESHOLD);
    await recordAudit(tx, ctx, { action: 'delete_quota_threshold', subject: ctx.clientId });
  });
}

/** Counters that pass 60 % share this lock until their commit; while it is held alone, none is half-way. */
async function lockThreshold(tx: Tx, clientId: number): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${THRESHOLD_LOCK}, ${clientId})`);
}

/** A changed threshold is a new promise: everything at or above it is reported, and nothing twice. */
async function judgeAnew(tx: Tx, clientId: number, before: number, after: number): Promise<void> {
  if (before === after) return;
  await tx.run(sql`delete from quota_reachings where client_id = ${clientId}`);
  await tx.run(sql`insert into quota_reachings (client_id, region_id, name, usage, quota_limit, threshold)
     select client_id, region_id, name, usage, quota_limit, ${after} from quota_counters
      where client_id = ${clientId} and quota_reached(usage, quota_limit, ${after})`);
}
