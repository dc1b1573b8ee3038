import type { Db } from '../../platform/database/db.ts';
import { listPage, type Page, type Paging } from '../../platform/database/list-page.ts';
import { type Sql, sql } from '../../platform/database/sql.ts';

/** Who reads: a person in an account, or a token of theirs. */
export interface Reader {
  readonly clientId: number;
  readonly userId: number;
  readonly isAdministrator: boolean;
}

export interface NotificationRow {
  readonly id: number;
  readonly kind: string;
  readonly means: 'mail' | 'webhook';
  readonly subject: string;
  readonly body: string | null;
  readonly created_at: Date;
  readonly read_at: Date | null;
}

/** What of `n` a person may read. */
const readable = ({ clientId, userId, isAdministrator }: Reader): Sql =>
  sql`(n.user_id = ${userId}::int
    or (n.client_id = ${clientId}::int and (${isAdministrator}::boolean or not n.for_administrators)))`;
const unread = ({ userId }: Reader): Sql =>
  sql`not exists (select from notification_reads r where r.notification_id = n.id and r.user_id = ${userId}::int)`;

/** Newest first, and how many match in all. */
export const listNotifications = (
  db: Db,
  reader: Reader,
  { isRead, limit, offset }: Paging & { readonly isRead: boolean | undefined },
): Promise<Page<NotificationRow>> =>
  listPage<NotificationRow>(db, {
    table: 'notifications',
    alias: 'n',
    columns: sql`n.id, n.kind, n.means, n.subject, n.body, n.created_at, r.read_at`,
    joins: sql`left join notification_reads r on r.notification_id = n.id and r.user_id = ${reader.userId}::int`,
    where: [
      readable(reader),
      ...(isRead === undefined ? [] : [isRead ? sql`not (${unread(reader)})` : unread(reader)]),
    ],
    order: 'n.id desc',
    limit,
    offset,
  });

export const countUnread = (db: Db, reader: Reader): Promise<number> =>
  db.number(
    sql`select count(*) as count from notifications n where ${readable(reader)} and ${unread(reader)}`,
  );

/** Marks what a person may read, up to one notification and with it, as read by them. What is read stays as it is. */
export const markRead = (db: Db, reader: Reader, upTo: number, now: Date): Promise<void> =>
  db.run(sql`
    insert into notification_reads (notification_id, user_id, read_at)
    select n.id, u.id, ${now.toISOString()} from notifications n, users u
     where u.id = ${reader.userId} and n.id <= ${upTo}::bigint and ${readable(reader)} and ${unread(reader)}
    on conflict do nothing`);

/** Marks one.
 *  @returns whether the person may read it */
export const markOneRead = (db: Db, reader: Reader, id: number, now: Date): Promise<boolean> =>
  db.any(sql`
    with found as (select n.id from notifications n where n.id = ${id}::bigint and ${readable(reader)}),
    marked as (
      insert into notification_reads (notification_id, user_id, read_at)
      select f.id, u.id, ${now.toISOString()} from found f, users u where u.id = ${reader.userId}
      on conflict do nothing)
    select 1 as found from found`);

/** Marks one as not read. @returns whether the person may read it */
export const markOneUnread = (db: Db, reader: Reader, id: number): Promise<boolean> =>
  db.any(sql`
    with found as (select n.id from notifications n where n.id = ${id}::bigint and ${readable(reader)}),
    unmarked as (
      delete from notification_reads where user_id = ${reader.userId} and notification_id in (select id from found))
    select 1 as found from found`);
