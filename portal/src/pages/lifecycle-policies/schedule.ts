import type { Schemas } from '../../api/client.ts';
import { text, type Values } from '../../ui/side-form.tsx';
import { number } from '../../ui/values.ts';

/** The schedule that the form makes. */

export type NewSchedule = NonNullable<Schemas['CreateLifecyclePolicy']['schedules']>[number];

/** Of the person. */
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What the form says of one. */
export function scheduleOf(values: Values): NewSchedule {
  const max_quantity = number(values, 'max_quantity') ?? 1;
  const every = text(values, 'every');
  if (every === 'hour') return { type: 'interval', hours: 1, max_quantity };
  const [hour = '', minute = ''] = text(values, 'time')
    .split(':')
    .map((part) => String(Number(part)));
  const at = { type: 'cron', timezone: zone(), hour, minute, max_quantity } as const;
  return every === 'week' ? { ...at, day_of_week: text(values, 'day_of_week') } : at;
}
