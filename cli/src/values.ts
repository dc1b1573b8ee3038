import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { UsageError } from './failures.ts';
import { type FlagRow, flagOf } from './table/shapes.ts';
import type { Terminal } from './terminal.ts';

/** Turns what stands behind flags into what the API takes. */

/** A value that begins with @ is that of a file, or with @- of standard input, so that secrets stand in no command. */
export function textOf(given: string, terminal: Pick<Terminal, 'cwd' | 'input'>): string {
  if (given.startsWith('@@')) return given.slice(1);
  if (given === '@-') return terminal.input().replace(/\n$/, '');
  return given.startsWith('@') ? fileText(given.slice(1), terminal) : given;
}

/** @throws UsageError when it cannot be read */
export function fileText(name: string, { cwd, input }: Pick<Terminal, 'cwd' | 'input'>): string {
  if (name === '-') return input();
  try {
    return readFileSync(path.resolve(cwd, name), 'utf8');
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** JSON or YAML.
 *  @throws UsageError with what was read it for */
export function parsed(text: string, what: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(
      `${what} is neither JSON nor YAML: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** @throws UsageError naming the flag */
export function fieldOf(flag: FlagRow, given: unknown, terminal: Terminal): unknown {
  if (flag.kind === 'boolean' || typeof given === 'boolean') return given;
  const texts = [given].flat().map((each) => textOf(String(each), terminal));
  const name = `--${flagOf(flag.name)}`;
  if (flag.kind === 'pairs') return Object.fromEntries(texts.flatMap((text) => pairsOf(text, name)));
  const values = texts.map((text) => single(flag, text, name));
  return flag.many ? values : values.at(-1);
}

function single(flag: FlagRow, text: string, name: string): unknown {
  if (flag.kind === 'json') return parsed(text, name);
  if (flag.kind === 'string') return text;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || (flag.kind === 'integer' && !Number.isInteger(value)))
    throw new UsageError(`${name} must be a ${flag.kind === 'integer' ? 'whole ' : ''}number, not "${text}"`);
  return value;
}

/** `env=prod`, or a whole object. */
function pairsOf(text: string, name: string): readonly (readonly [string, unknown])[] {
  if (/^\s*\{/.test(text)) return Object.entries(parsed(text, name) as object);
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${name} must be KEY=VALUE, not "${text}"`);
  return [[text.slice(0, at), text.slice(at + 1)]];
}
