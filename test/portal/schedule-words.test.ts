import { expect, test } from 'vitest';
import { scheduleWords } from '../../portal/src/pages/lifecycle-policies/schedule-words.ts';

/** What people read of a schedule. */

type Schedule = Parameters<typeof scheduleWords>[0];

const shown = {
  id: '1',
  owner: 'lifecycle_policy',
  owner_id: 1,
  user_id: 1,
  resource_name_template: '',
  max_quantity: 7,
  retention_time: null,
};
const interval = { ...shown, type: 'interval', weeks: 0, days: 0, hours: 0, minutes: 0 };
const cron = {
  ...shown,
  type: 'cron',
  timezone: 'UTC',
  minute: '5',
  hour: '4',
  day: '*',
  month: '*',
  week: '*',
  day_of_week: '*',
};

test.each([
  [{ ...interval, hours: 1 }, 'every hour, the last 7 are kept'],
  [{ ...interval, weeks: 1, days: 2 }, 'every 1 week, 2 days, the last 7 are kept'],
  [cron, 'daily at 04:05 (UTC), the last 7 are kept'],
  [
    { ...cron, day_of_week: 'mon,2', max_quantity: 1 },
    'on Monday, Wednesday at 04:05 (UTC), the last one is kept',
  ],
  [
    { ...cron, day: '1', day_of_week: 'fri' },
    'at minute 5, hour 4, day 1, day of week fri (UTC), the last 7 are kept',
  ],
  [
    { ...cron, retention_time: { weeks: 0, days: 1, hours: 0, minutes: 0 } },
    'daily at 04:05 (UTC), the last 7 are kept, each for 1 day',
  ],
])('%j reads as people say it', (schedule, words) => {
  expect(scheduleWords(schedule as Schedule)).toBe(words);
});
