import { readFileSync } from 'node:fs';
import { Invalid } from '../kernel/errors.ts';
import { ConfigError } from './config.ts';

/** Reads what an operator has written in a file that a setting names.
 *  @param check returns what the file says; throws Invalid naming its faulty fields
 *  @throws ConfigError naming the setting, the file, and each faulty field or where it is no JSON */
export function readJsonFile<T>(setting: string, file: string, check: (content: unknown) => T): T {
  const content = parse(setting, file);
  try {
    return check(content);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new ConfigError(`${setting}: ${file} is not right: ${error.message}`);
  }
}

function parse(setting: string, file: string): unknown {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError(`${setting}: ${file} cannot be read as JSON: ${message}${lineOf(message, text)}`);
  }
}

/** The parser counts characters; people count lines. */
function lineOf(message: string, text: string): string {
  const position = / at position (\d+)$/.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

/** The objects of a list of the file, with their place in it, before anything is known to be right. */
export function entriesOf(content: unknown, list: string): (readonly [location: string, entry: Fields])[] {
  const entries = isObject(content) ? content[list] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, index) => (isObject(entry) ? [[`${list}.${index}`, entry] as const] : []));
}

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
