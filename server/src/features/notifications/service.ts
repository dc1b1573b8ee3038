import { zuluTime } from '../../kernel/codecs.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import type { NotificationListQuery } from './schema.ts';
import * as store from './store.ts';

const readerOf = ({ caller }: RequestContext): store.Reader => ({
  clientId: caller.clientId,
  userId: caller.userId,
  isAdministrator: caller.role === 'Administrators',
});

/** What the caller was notified of, the newest first, and how much of it they have not read. */
export async function listNotifications(ctx: RequestContext, query: NotificationListQuery) {
  const reader = readerOf(ctx);
  const { limit, offset, is_read: isRead } = query;
  const [page, unread] = await Promise.all([
    store.listNotifications(ctx.db, reader, { limit, offset, isRead }),
    store.countUnread(ctx.db, reader),
  ]);
  const results = page.rows.map(({ read_at, created_at, ...row }) => ({
    ...row,
    created_at: zuluTime(created_at),
    is_read: read_at !== null,
  }));
  return { count: page.count, unread, results };
}

/** Marks what the caller was notified of, up to one and with it, as read. */
export const markRead = (ctx: RequestContext, upTo: number): Promise<void> =>
  store.markRead(ctx.db, readerOf(ctx), upTo, ctx.clock.now());

/** Marks one as read, or as not read, by the caller.
 *  @throws NotFound */
export async function markOne(ctx: RequestContext, id: number, isRead: boolean): Promise<void> {
  const reader = readerOf(ctx);
  const found = isRead
    ? await store.markOneRead(ctx.db, reader, id, ctx.clock.now())
    : await store.markOneUnread(ctx.db, reader, id);
  if (!found) throw new NotFound(`Notification ${id} was not found`);
}
