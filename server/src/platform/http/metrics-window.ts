import { type Static, type TObject, Type } from '@sinclair/typebox';
import { Invalid } from '../../kernel/errors.ts';
import { type SeriesWindow, windowBefore } from '../../kernel/series.ts';
import { StringEnum } from './schemas.ts';

/** Which part of the past metrics are asked for, as bodies name it. */

const SECONDS = { day: 86_400, hour: 3600 } as const;
const TIME_UNITS = ['day', 'hour'] as const;
const PROPERTIES = {
  time_interval: Type.Integer({ description: 'How many units back from now; at least 1.' }),
  time_unit: StringEnum(TIME_UNITS),
};

export const metricsWindow = ($id: string) => Type.Object(PROPERTIES, { $id });
export type MetricsWindow = Static<TObject<typeof PROPERTIES>>;

/** @param series how many are shown together
 *  @throws Invalid for an interval of nothing */
export function windowOf({ time_interval, time_unit }: MetricsWindow, now: Date, series = 1): SeriesWindow {
  if (time_interval < 1) throw new Invalid({ time_interval: ['must be at least 1'] });
  return windowBefore(now, time_interval * SECONDS[time_unit], series);
}
