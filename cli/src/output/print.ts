import jmespath from 'jmespath';
import { stringify } from 'yaml';
import { UsageError } from '../failures.ts';
import { type Look, printable } from './cells.ts';
import { detailOf, flat, tableOf } from './table.ts';

export const FORMATS = ['table', 'json', 'yaml', 'name'] as const;
export type Format = (typeof FORMATS)[number];

export interface Shown {
  readonly format: Format;
  /** JMESPath. */
  readonly query?: string | undefined;
}

/** What an answer looks like on standard output, without the last line break.
 *  @param columns of the terminal; undefined: it is none
 *  @throws UsageError for a query that is no JMESPath */
export function printed(answer: unknown, { format, query }: Shown, look: Look, columns?: number): string {
  const value = query === undefined ? listed(answer) : searched(answer, query);
  if (format === 'json') return JSON.stringify(value, null, 2);
  if (format === 'yaml') return stringify(value).trimEnd();
  if (format === 'name') return [value].flat().map(nameOf).join('\n');
  if (typeof value !== 'object' || value === null) return value === undefined ? '' : printable(String(value));
  if (!Array.isArray(value)) return detailOf(value as Readonly<Record<string, unknown>>, look, columns);
  if (value.every((item) => typeof item === 'object' && item !== null))
    return value.length === 0 ? 'There is none' : tableOf(value, look, columns);
  return value.map((item) => printable(String(item))).join('\n');
}

/** The items of a list, without what is around them. */
export function listed(answer: unknown): unknown {
  const results = (answer as { results?: unknown } | null | undefined)?.results;
  return Array.isArray(results) ? results : answer;
}

function searched(answer: unknown, query: string): unknown {
  try {
    return jmespath.search(listed(answer) as never, query);
  } catch (error) {
    throw new UsageError(`--query: ${error instanceof Error ? error.message : error}`);
  }
}

function nameOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return printable(String(item));
  const { name, display_name, id } = flat(item as Readonly<Record<string, unknown>>);
  return printable(String(name ?? display_name ?? id ?? ''));
}
