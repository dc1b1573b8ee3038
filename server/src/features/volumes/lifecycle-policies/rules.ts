import { NAME_PATTERN } from '../../../kernel/codecs.ts';
import type { Faults } from '../../../kernel/faults.ts';
import { patternRule } from '../../../platform/http/patterns.ts';
import { MAX_QUANTITY, NAME_TEMPLATE, type Schedule, snapshotName, VOLUME_ID } from './model.ts';
import type { NewSchedule, UpdateSchedule } from './schema.ts';
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
  return inputs.map((input, index) =>
    checkSchedule(input, faults, now, { all: `schedules.${index}`, begin: `schedules.${index}.` }),
  );
}

/** What faulty fields are called: the schedule as a whole, and how the names of its fields begin. */
interface FieldNames {
  readonly all: string;
  readonly begin: string;
}

function checkSchedule(
  input: NewSchedule,
  faults: Faults,
  now: Date | undefined,
  field: FieldNames,
): RequestedSchedule {
  const timing = timingOf(input);
  const isSound =
    timing.type === 'cron' ? checkCron(timing, field, faults) : checkInterval(timing, field, faults);
  const firstRun = isSound && now ? nextRun(timing, now) : undefined;
  if (isSound && now && !firstRun) faults.add(field.all, 'must run within ten years');
  const nameTemplate = input.resource_name_template ?? NAME_TEMPLATE;
  if (!new RegExp(NAME_PATTERN).test(snapshotName(nameTemplate, SOME_VOLUME))) {
    const rule = `${patternRule(NAME_PATTERN)}, where ${VOLUME_ID} counts as ${SOME_VOLUME.length} letters`;
    faults.add(`${field.begin}resource_name_template`, rule);
  }
  const { max_quantity: maxQuantity = MAX_QUANTITY, retention_time: retention } = input;
  const retentionTime = retention ? durationOf(retention) : null;
  return { timing, maxQuantity, retentionTime, nameTemplate, firstRun };
}

/** What a schedule becomes: what is not given stays, unless it becomes one of the other type. What is wrong with it is
 *  added to the faults. */
export function changedSchedule(
  { timing, maxQuantity, retentionTime, nameTemplate }: Schedule,
  input: UpdateSchedule,
  faults: Faults,
  now: Date,
): RequestedSchedule {
  const { type = timing.type } = input;
  const others: readonly (keyof UpdateSchedule)[] = type === 'cron' ? UNITS : [...FIELDS, 'timezone'];
  for (const name of others)
    if (input[name] !== undefined) faults.add(name, `must be left out for a schedule of type ${type}`);
  const before = {
    max_quantity: maxQuantity,
    retention_time: retentionTime,
    resource_name_template: nameTemplate,
    ...(type === timing.type ? timing : {}),
  };
  const merged = Object.assign({}, before, input, { type }) as NewSchedule;
  return checkSchedule(merged, faults, now, { all: 'type', begin: '' });
}

function checkInterval(timing: Duration, field: FieldNames, faults: Faults): boolean {
  const isSound = millisecondsOf(timing) > 0;
  if (!isSound) faults.add(field.all, `needs at least one of ${UNITS.join(', ')}`);
  return isSound;
}

function checkCron(timing: Timing & { type: 'cron' }, field: FieldNames, faults: Faults): boolean {
  const wrong = FIELDS.flatMap((name) => {
    try {
      valuesOf(name, timing[name]);
      return [];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [[name, error.message] as const];
    }
  });
  for (const [name, message] of wrong) faults.add(`${field.begin}${name}`, message);
  const isScope = isTimezone(timing.timezone);
  if (!isScope) faults.add(`${field.begin}timezone`, 'must be a time zone, such as UTC or Europe/Berlin');
  return isScope && wrong.length === 0;
}
