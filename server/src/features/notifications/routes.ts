import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import {
  MarkNotification,
  MarkNotifications,
  NotificationList,
  NotificationListQuery,
  NotificationParams,
} from './schema.ts';
import { listNotifications, markOne, markRead } from './service.ts';

const all = plainPath('Notifications', '/virga/v1/notifications');

export const notificationRoutes: readonly Route[] = [
  all.get({
    operationId: 'listNotifications',
    summary: 'List what you were notified of, the newest first',
    description:
      'Thresholds of quotas and storages, changes of what you sign in with, and for administrators webhooks whose deliveries were given up. Each is kept for 90 days.',
    access: 'read',
    query: NotificationListQuery,
    response: NotificationList,
    handler: (ctx, { query }) => listNotifications(ctx, query),
  }),
  all.at('read').post({
    operationId: 'readNotifications',
    summary: 'Mark what you were notified of as read, up to one of them',
    description: 'Each person has marks of their own.',
    access: 'read',
    body: MarkNotifications,
    status: 204,
    handler: (ctx, { body }) => markRead(ctx, body.up_to),
  }),
  all.at('{notification_id}', NotificationParams.properties).patch({
    operationId: 'markNotification',
    summary: 'Mark one thing that you were notified of as read, or as not read',
    access: 'read',
    body: MarkNotification,
    status: 204,
    handler: (ctx, { params, body }) => markOne(ctx, params.notification_id, body.is_read),
  }),
];
