/** Text forms that appear on the wire. One codec each, used everywhere. */

/** A moment as PostgreSQL writes it into JSON, UTC without a zone: `2026-01-31T12:00:00.123456`. */
export type UtcText = string;
export type Moment = Date | UtcText;

/** Milliseconds since 1970. */
export const timeOf = (at: Moment): number => (typeof at === 'string' ? Date.parse(`${at}Z`) : at.getTime());

const LENGTH = '2026-01-31T12:00:00'.length;

const seconds = (at: Moment): string =>
  typeof at === 'string' ? at.slice(0, LENGTH) : at.toISOString().slice(0, -'.123Z'.length);

/** Tasks: `2026-01-31T12:00:00`, UTC without a zone. */
export const TASK_TIME_PATTERN = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$';
export const taskTime = (at: Moment): string => seconds(at);
/** Most resources: `2026-01-31T12:00:00+0000`. */
export const OFFSET_TIME_PATTERN = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+0000$';
export const offsetTime = (at: Moment): string => `${seconds(at)}+0000`;
/** Secrets: `2026-01-31T12:00:00+00:00`. */
export const COLON_TIME_PATTERN = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+00:00$';
export const colonTime = (at: Moment): string => `${seconds(at)}+00:00`;
/** Kubernetes, instances, SSH keys, projects and regions: `2026-01-31T12:00:00Z`. */
export const ZULU_TIME_PATTERN = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$';
export const zuluTime = (at: Moment): string => `${seconds(at)}Z`;

/** A time as it is sent and accepted: RFC 3339 but for the zone, which may also be `+0000`, `+00` or absent (UTC). The
 *  database knows zones up to 16 hours away. */
export const TIME_PATTERN =
  '^\\d{4}-\\d\\d-\\d\\d[Tt ]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?([Zz]|[+-](0\\d|1[0-5])(:?[0-5]\\d)?)?$';

const TIME = new RegExp(TIME_PATTERN);

/** Reads a time as clients write it: without a zone it is UTC, and a zone may be `Z`, `+00`, `+0000` or `+00:00`.
 *  @returns undefined for what is no time, a day that is in no calendar, a leap second, and what lies outside the years
 *  1 to 9999 in UTC */
export function readTime(text: string): Date | undefined {
  if (!TIME.test(text)) return undefined;
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number];
  if (year === 0 || month < 1 || month > 12) return undefined;
  if (day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const withZone = /([Zz]|[+-]\d\d(:?\d\d)?)$/.test(text.slice(10)) ? text : `${text}Z`;
  const normal = withZone.replace(/([+-]\d\d)(\d\d)$/, '$1:$2').replace(/([+-]\d\d)$/, '$1:00');
  const time = new Date(normal);
  const inUtc = time.getUTCFullYear();
  return inUtc >= 1 && inUtc <= 9999 ? time : undefined;
}

export function nullable<A, B>(encode: (value: A) => B): (value: A | null) => B | null {
  return (value) => (value === null ? null : encode(value));
}

/** Names of most resources: 3 to 63 characters, starting with a letter or digit, ending with one, `.` or `_`. */
export const NAME_PATTERN = '^[a-zA-Z0-9][a-zA-Z 0-9._\\-]{1,61}[a-zA-Z0-9._]$';
