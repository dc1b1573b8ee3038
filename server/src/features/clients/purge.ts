import type { Db, Tx } from '../../platform/database/db.ts';

/** Removes what a client leaves in the database when its resources are gone. */

const PROJECTS = 'project_id in (select id from projects where client_id = $1)';
const CLIENT = 'client_id = $1';

/** What there may be millions of, table by table. */
const MANY = ['audit_log', 'tasks', 'webhook_deliveries', 'sign_ins', 'idempotency_keys', 'usage_periods'];
const BATCH = 5000;

/** Removes some of what there is much of.
 *  @returns whether there may be more */
export async function purgeSome(db: Db, clientId: number): Promise<boolean> {
  for (const table of MANY) {
    const rows = await db.namedNumber(
      `client_purge_some_${table}`,
      `with gone as (delete from ${table} where (tableoid, ctid) in (
         select tableoid, ctid from ${table} where ${CLIENT} limit ${BATCH}) returning 1)
       select count(*) as count from gone`,
      [clientId],
    );
    if (rows === BATCH) return true;
  }
  return false;
}

/** Tables in an order in which nothing names what is gone already, and which of their rows go. What goes with its owner
 *  is not named. */
const REST: readonly (readonly [table: string, where: string])[] = [
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

/** People who belong to no other client: they go, with the mail to them. */
const PEOPLE = `select u.id from users u
  where (u.last_client_id = $1
      or exists (select from client_users c where c.user_id = u.id and c.client_id = $1)
      or exists (select from api_tokens t where t.user_id = u.id and t.client_id = $1)
      or exists (select from sign_ins s where s.user_id = u.id and s.client_id = $1))
    and not exists (select from client_users c where c.user_id = u.id and c.client_id <> $1)
    and not exists (select from api_tokens t where t.user_id = u.id and t.client_id <> $1 and t.deleted_at is null)`;
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
  const people = await tx.named<{ id: number }>('client_purge_people', PEOPLE, [clientId]);
  const ids = people.map(({ id }) => id);
  await tx.named(
    'client_purge_mail_to_people',
    `delete from mail_outbox where lower(recipient) in (select lower(email) from users where id = any($1::int[]))`,
    [ids],
  );
  for (const [table, where] of REST) {
    await tx.named(`client_purge_${table}`, `delete from ${table} where ${where}`, [clientId]);
  }
  for (const table of OF_PEOPLE) {
    await tx.named(`people_purge_${table}`, `delete from ${table} where user_id = any($1::int[])`, [ids]);
  }
  // What they made elsewhere, as members that they no longer are.
  await tx.named('people_purge_tokens', 'delete from api_tokens where user_id = any($1::int[])', [ids]);
  await tx.named(
    'client_purge_last',
    'update users set last_client_id = null where last_client_id = $1 or id = any($2::int[])',
    [clientId, ids],
  );
  await tx.named('people_purge', 'delete from users where id = any($1::int[])', [ids]);
  await tx.named('client_purge', 'delete from clients where id = $1', [clientId]);
}
