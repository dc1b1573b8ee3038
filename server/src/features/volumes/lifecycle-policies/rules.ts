import { NAME_PATTERN } from '../../../kernel/codecs.ts';
import type { Faults } from '../../../kernel/faults.ts';
import { patternRule } from '../../../platform/http/patterns.ts';
import { MAX_QUANTITY, NAME_TEMPLATE, type Schedule, snapshotName, VOLUME_ID } from './model.ts';
import type { NewSchedule } from './schema.ts';
import {
  CRON_FIELDS,
  type CronField,
  type Duration,
  isTimezone,
  millisecondsOf,
  nextRun,
  type Timing,
  UNITS,
  valuesOf,
} from './timing.ts';

/** What schedules a body asks for. */

/** Any volume: all ids have the same length. */
const SOME_VOLUME = '00000000-0000-4000-8000-000000000000';

const FIELDS = Object.keys(CRON_FIELDS) as readonly CronField[];

/** What is left out of a length of time is none of it. */
const durationOf = (given: Partial<Duration>): Duration =>
  Object.fromEntries(UNITS.map((unit) => [unit, given[unit] ?? 0])) as unknown as Duration;

function timingOf(input: NewSchedule): Timing {
  if (input.type === 'interval') return { type: 'interval', ...durationOf(input) };
  const given = FIELDS.map((field) => [field, input[field] ?? (field === 'minute' ? '0' : '*')]);
  return { type: 'cron', timezone: input.timezone ?? 'UTC', ...Object.fromEntries(given) };
}

export interface RequestedSchedule extends Omit<Schedule, 'id'> {
  /** undefined: it was not asked for. */
  readonly firstRun: Date | undefined;
}

/** The schedules, with what is wrong with them added to the faults.
 *  @param now absent: whether they ever run is not asked */
export function checkSchedules(
  inputs: readonly NewSchedule[] = [],
  faults: Faults,
  now?: Date,
): RequestedSchedule[] {
  return inputs.map((input, index) => {
    const field = `schedules.${index}`;
    const timing = timingOf(input);
    const isSound =
      timing.type === 'cron' ? checkCron(timing, field, faults) : checkInterval(timing, field, faults);
    const firstRun = isSound && now ? nextRun(timing, now) : undefined;
    if (isSound && now && !firstRun) faults.add(field, 'must run within ten years');
    const nameTemplate = input.resource_name_template ?? NAME_TEMPLATE;
    if (!new RegExp(NAME_PATTERN).test(snapshotName(nameTemplate, SOME_VOLUME))) {
      const rule = `${patternRule(NAME_PATTERN)}, where ${VOLUME_ID} counts as ${SOME_VOLUME.length} letters`;
      faults.add(`${field}.resource_name_template`, rule);
    }
    const { max_quantity: maxQuantity = MAX_QUANTITY, retention_time: retention } = input;
    const retentionTime = retention ? durationOf(retention) : null;
    return { timing, maxQuantity, retentionTime, nameTemplate, firstRun };
  });
}

function checkInterval(timing: Duration, field: string, faults: Faults): boolean {
  const isSound = millisecondsOf(timing) > 0;
  if (!isSound) faults.add(field, `needs at least one of ${UNITS.join(', ')}`);
  return isSound;
}

function checkCron(timing: Timing & { type: 'cron' }, field: string, faults: Faults): boolean {
  const wrong = FIELDS.flatMap((name) => {
    try {
      valuesOf(name, timing[name]);
      return [];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [[name, error.message] as const];
    }
  });
  for (const [name, message] of wrong) faults.add(`${field}.${name}`, message);
  const isPlace = isTimezone(timing.timezone);
  if (!isPlace) faults.add(`${field}.timezone`, 'must be a time zone, such as UTC or Europe/Berlin');
  return isPlace && wrong.length === 0;
}
