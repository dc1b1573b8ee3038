import type { Db, Tx } from '../../platform/database/db.ts';
import { raw, type Sql, sql } from '../../platform/database/sql.ts';

/** Removes what a client leaves in the database when its resources are gone. */

type Owned = (clientId: number) => Sql;

const PROJECTS: Owned = (id) => sql`project_id in (select id from projects where client_id = ${id})`;
const CLIENT: Owned = (id) => sql`client_id = ${id}`;

/** What there may be millions of, table by table. */
const MANY = ['audit_log', 'tasks', 'webhook_deliveries', 'sign_ins', 'idempotency_keys', 'usage_periods'];
const BATCH = 5000;

/** Removes some of what there is much of.
 *  @returns whether there may be more */
export async function purgeSome(db: Db, clientId: number): Promise<boolean> {
  for (const table of MANY) {
    const rows = await db.number(sql`
      with gone as (delete from ${raw(table)} where (tableoid, ctid) in (
        select tableoid, ctid from ${raw(table)} where ${CLIENT(clientId)} limit ${raw(BATCH)}) returning 1)
      select count(*) as count from gone`);
    if (rows === BATCH) return true;
  }
  return false;
}

/** Tables in an order in which nothing names what is gone already, and which of their rows go. What goes with its owner
 *  is not named. */
const REST: readonly (readonly [table: string, where: Owned])[] = [
  ...MANY.map((table) => [table, CLIENT] as const),
  ['webhook_targets', CLIENT],
  ['sessions', CLIENT],
  ['api_tokens', CLIENT],
  ['role_assignments', CLIENT],
  ['invitations', CLIENT],
  ['client_users', CLIENT],
  ['custom_page_sets', CLIENT],
  ['limits_requests', CLIENT],
  ['mail_outbox', CLIENT],
  ['quota_counters', CLIENT],
  ['quota_reachings', CLIENT],
  ['quota_thresholds', CLIENT],
  ['object_storages', CLIENT],
  ['sftp_storages', CLIENT],
  ['storage_events', CLIENT],
  ['storage_ssh_keys', CLIENT],
  ['storage_usage', CLIENT],
  ['storage_usage_months', CLIENT],
  ['storage_usage_reports', CLIENT],
  ['ssh_keys', CLIENT],
  ['inference_secrets', PROJECTS],
  ['inference_registry_credentials', PROJECTS],
  ['managed_postgresql', PROJECTS],
  ['security_groups', PROJECTS],
  ['ports', PROJECTS],
  ['projects', CLIENT],
];
const OF_PEOPLE = [
  'one_time_links',
  'known_sources',
  'recovery_codes',
  'second_factors',
  'sessions',
  'sign_ins',
];

/** Removes a client, and all that is left of it. */
export async function purgeClient(tx: Tx, clientId: number): Promise<void> {
  const people = await tx.rows<{ id: number }>(sql`select u.id from users u
  where (u.last_client_id = ${clientId}
      or exists (select from client_users c where c.user_id = u.id and c.client_id = ${clientId})
      or exists (select from api_tokens t where t.user_id = u.id and t.client_id = ${clientId})
      or exists (select from sign_ins s where s.user_id = u.id and s.client_id = ${clientId}))
    and not exists (select from client_users c where c.user_id = u.id and c.client_id <> ${clientId})
    and not exists (select from api_tokens t where t.user_id = u.id and t.client_id <> ${clientId} and t.deleted_at is null)`);
  const ids = people.map(({ id }) => id);
  await tx.run(
    sql`delete from mail_outbox where lower(recipient) in (select lower(email) from users where id = any(${ids}::int[]))`,
  );
  for (const [table, where] of REST) {
    await tx.run(sql`delete from ${raw(table)} where ${where(clientId)}`);
  }
  for (const table of OF_PEOPLE) {
    await tx.run(sql`delete from ${raw(table)} where user_id = any(${ids}::int[])`);
  }
  // What they made elsewhere, as members that they no longer are.
  await tx.run(sql`delete from api_tokens where user_id = any(${ids}::int[])`);
  await tx.run(
    sql`update users set last_client_id = null where last_client_id = ${clientId} or id = any(${ids}::int[])`,
  );
  await tx.run(sql`delete from users where id = any(${ids}::int[])`);
  await tx.run(sql`delete from clients where id = ${clientId}`);
}
