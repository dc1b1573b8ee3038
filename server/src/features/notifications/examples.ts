import type { Examples } from '../../platform/openapi/examples.ts';

export const notificationExamples: Examples = {
  MarkNotification: { is_read: true },
  MarkNotifications: { up_to: 42 },
};
