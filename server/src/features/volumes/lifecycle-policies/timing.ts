import { Cron } from 'croner';

/** When schedules run. */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
export const UNITS = ['weeks', 'days', 'hours', 'minutes'] as const;

/** A length of time in parts, all of which count. */
export type Duration = Readonly<Record<(typeof UNITS)[number], number>>;

export const millisecondsOf = ({ weeks, days, hours, minutes }: Duration): number =>
  (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * MINUTE_MS;

/** The fields of a moment that comes again and again, as people write them. All of them must match. */
export const CRON_FIELDS = {
  minute: [0, 59],
  hour: [0, 23],
  day: [1, 31],
  month: [1, 12],
  week: [1, 53],
  day_of_week: [0, 6],
} as const;
export type CronField = keyof typeof CRON_FIELDS;

/** Weeks are those of ISO 8601, and 0 is Monday. */
export type CronTiming = Readonly<Record<CronField, string>> & {
  readonly type: 'cron';
  readonly timezone: string;
};
export type Timing = CronTiming | (Duration & { readonly type: 'interval' });

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Further ahead nobody looks: each 29 February comes within it. */
const HORIZON_MS = 10 * 366 * DAY_MS;

/** The first moment after another at which a schedule runs.
 *  @param from of an interval: the moment from which it is counted
 *  @returns undefined when there is none within ten years */
export function nextRun(timing: Timing, from: Date, after = from): Date | undefined {
  if (timing.type === 'cron') return nextCron(timing, after);
  const step = millisecondsOf(timing);
  const passed = Math.max(0, Math.floor((after.getTime() - from.getTime()) / step));
  return new Date(from.getTime() + (passed + 1) * step);
}

function nextCron(timing: CronTiming, after: Date): Date | undefined {
  if (!hasDay(timing)) return undefined;
  const weekOf = isoWeeks(timing.timezone);
  const weeks = valuesOf('week', timing.week);
  const moments = cronOf(timing.timezone, timing);
  const mondays = cronOf(timing.timezone, { minute: '0', hour: '0', day_of_week: '0' });
  const isFar = (moment: Date) => moment.getTime() - after.getTime() > HORIZON_MS;
  let next = moments.nextRun(after);
  while (next && !isFar(next)) {
    const ahead = weeksUntil(weeks, weekOf(next));
    if (ahead === 0) return next;
    const monday = mondays.nextRun(new Date(next.getTime() + (ahead - 1) * 7 * DAY_MS));
    next = monday && moments.nextRun(new Date(monday.getTime() - 1));
  }
  return undefined;
}

/** Whether one of its months has one of its days: looking for 30 February in the years to come takes a while. */
function hasDay({ month, day }: CronTiming): boolean {
  const [first = 1] = valuesOf('day', day) ?? [];
  const months = valuesOf('month', month);
  return months?.some((number) => first <= new Date(Date.UTC(LEAP_YEAR, number, 0)).getUTCDate()) ?? true;
}
const LEAP_YEAR = 2028;

/** How many weeks there are at least from one to the next of these; 0: it is one of them. */
function weeksUntil(weeks: readonly number[] | undefined, week: number): number {
  if (weeks?.includes(week) ?? true) return 0;
  return Math.min(...(weeks ?? []).map((each) => (each - week + 52) % 52 || 1));
}

/** Days of the month and of the week must both match. */
function cronOf(timezone: string, fields: Partial<CronTiming>): Cron {
  const part = (field: CronField) => {
    const values = valuesOf(field, fields[field] ?? '*');
    // It counts days from Sunday on.
    return field === 'day_of_week' ? values?.map((day) => (day + 1) % 7) : values;
  };
  const pattern = (['minute', 'hour', 'day', 'month', 'day_of_week'] as const)
    .map((field) => part(field)?.join(',') ?? '*')
    .join(' ');
  return new Cron(`0 ${pattern}`, { timezone, domAndDow: true, paused: true });
}

/** The values that a field of a cron schedule means: `*`, or what is between commas: `5`, `1-5`, `10-50/10`, and, as
 *  names, `mon` or `jan`. `*` with a step (`*` `/15`) counts from the least value on.
 *  @returns undefined: any
 *  @throws RangeError saying what the field must be */
export function valuesOf(field: CronField, text: string): readonly number[] | undefined {
  if (text === '*') return undefined;
  const [least, most] = CRON_FIELDS[field];
  const values = text.split(',').flatMap((part) => {
    const [, first = '', last, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,2}))?$/.exec(part.trim()) ?? [];
    const from = first === '*' ? least : numberOf(field, first);
    const isOpen = first === '*' || (last === undefined && step !== undefined);
    const to = isOpen ? most : numberOf(field, last ?? first);
    const every = Number(step ?? 1);
    if (!(from >= least && to <= most && from <= to && every > 0)) throw new RangeError(fieldRule(field));
    return Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, index) => from + index * every);
  });
  return [...new Set(values)].sort((one, other) => one - other);
}

/** @returns NaN for what is no value */
function numberOf(field: CronField, text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const names: Partial<Record<CronField, readonly string[]>> = { day_of_week: DAYS, month: MONTHS };
  const index = names[field]?.indexOf(text.toLowerCase()) ?? -1;
  return index < 0 ? Number.NaN : index + CRON_FIELDS[field][0];
}

function fieldRule(field: CronField): string {
  const [least, most] = CRON_FIELDS[field];
  const names = { day_of_week: ', where 0 is mon', month: ', where 1 is jan' } as Partial<
    Record<CronField, string>
  >;
  return `must be "*", or numbers from ${least} to ${most}${names[field] ?? ''}: "${least}", "${least},${most}", "${least}-${most}" or "*/2"`;
}

export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** The week of the year in which a moment is somewhere, after ISO 8601: that of the Thursday of the same week. */
export const isoWeek = (moment: Date, timezone: string): number => isoWeeks(timezone)(moment);

/** The same for many moments there. */
function isoWeeks(timezone: string): (moment: Date) => number {
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: timezone });
  return (moment) => weekOfDay(new Date(`${calendar.format(moment)}T00:00:00Z`));
}

function weekOfDay(day: Date): number {
  const thursday = day.getTime() + (3 - ((day.getUTCDay() + 6) % 7)) * DAY_MS;
  const newYear = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1);
  return Math.floor((thursday - newYear) / DAY_MS / 7) + 1;
}
