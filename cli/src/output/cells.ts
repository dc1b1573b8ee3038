import { createColors } from 'picocolors';

/** How values look in a table. */

const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;
const GOOD = /^(ACTIVE|ONLINE|FINISHED|AVAILABLE|RUNNING|READY|PROVISIONED|UP|OK)$/i;
const BAD = /^(ERROR|OFFLINE|FAILED|DOWN|DELETED|LOST)$/i;
const BUSY = /^(NEW|PENDING.*|DEGRADED|DRAINING|CREATING|UPDATING|DELETING|BUILD|.*ING)$/i;

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** What a table is for. */
export interface Look {
  /** A person reads it: statuses have colours, times are relative. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly now: Date;
}

/** @param key the field's name, which says whether it is a status */
export function cellOf(key: string, value: unknown, look: Look): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'object') return printable(brief(value));
  const text = printable(String(value));
  if (!look.isTerminal) return text;
  if (typeof value === 'string' && STAMP.test(value)) return relative(value, look.now);
  return /(^|_)(status|state|phase)$/.test(key) ? colored(text, look.hasColor) : text;
}

/** Objects have names, mostly; others are JSON. */
function brief(value: object): string {
  if (Array.isArray(value) && value.length === 0) return '-';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  const { name, flavor_name } = value as { name?: unknown; flavor_name?: unknown };
  const known = name ?? flavor_name;
  return typeof known === 'string' ? known : JSON.stringify(value);
}

/** Names are other people's text, and must not steer the terminal. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

function colored(text: string, hasColor: boolean): string {
  const { green, red, yellow } = createColors(hasColor);
  if (GOOD.test(text)) return green(text);
  if (BAD.test(text)) return red(text);
  return BUSY.test(text) ? yellow(text) : text;
}

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

/** The API's times without a zone are UTC. */
export function relative(stamp: string, now: Date): string {
  const [, zone] = STAMP.exec(stamp) ?? [];
  const seconds = (Date.parse(zone ? stamp : `${stamp}Z`) - now.getTime()) / 1000;
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return words.format(Math.trunc(seconds / length), unit);
}
