import type { Schemas } from '../../../../client/src/index.ts';

/** Schedules of lifecycle policies, as people say them. */

type Schedule = Schemas['LifecyclePolicy']['schedules'][number];

const UNITS = ['weeks', 'days', 'hours', 'minutes'] as const;
export const WEEKDAYS = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};

/** `every 6 hours, the last 4 are kept` */
export function scheduleWords(schedule: Schedule): string {
  const { max_quantity: most, retention_time: retention } = schedule;
  const kept = most === 1 ? 'the last one is kept' : `the last ${most} are kept`;
  const lasts = retention ? durationWords(retention) : '';
  return `${timingWords(schedule)}, ${kept}${lasts && `, each for ${lasts}`}`;
}

function timingWords(schedule: Schedule): string {
  if (schedule.type === 'interval') return `every ${durationWords(schedule).replace(/^1 (\w+)$/, '$1')}`;
  const { minute, hour, day_of_week: weekday, day, month, week, timezone } = schedule;
  const isTime = /^\d+$/.test(minute) && /^\d+$/.test(hour);
  if (!isTime || [day, month, week].some((field) => field !== '*')) {
    const fields = Object.entries({ minute, hour, day, month, week, 'day of week': weekday });
    const given = fields.filter(([, value]) => value !== '*').map(([name, value]) => `${name} ${value}`);
    return `at ${given.join(', ') || 'each minute'} (${timezone})`;
  }
  const days = weekday === '*' ? 'daily' : `on ${weekday.split(',').map(dayName).join(', ')}`;
  return `${days} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')} (${timezone})`;
}

/** The API accepts `mon` and 0. */
const dayName = (day: string): string =>
  WEEKDAYS[day as keyof typeof WEEKDAYS] ?? Object.values(WEEKDAYS)[Number(day)] ?? day;

/** `1 week, 2 days` */
function durationWords(duration: Readonly<Record<(typeof UNITS)[number], number>>): string {
  const parts = UNITS.filter((unit) => duration[unit] > 0).map((unit) => [duration[unit], unit] as const);
  const word = ([amount, unit]: (typeof parts)[number]) =>
    amount === 1 ? `1 ${unit.slice(0, -1)}` : `${amount} ${unit}`;
  return parts.map(word).join(', ');
}
