import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { reasonOf } from './unserved.ts';

/** The calls that existing clients know, of the areas that are served: a line for each in known-calls.txt, with those
 *  that know it. docs/compatibility.md says which of them are not served. */

export const KNOWN_CALLS = path.join(import.meta.dirname, 'known-calls.txt');

/** Who knows a call: the public description of the contract, the newest one, or a version of the Python SDK. */
export type Source = string;
export const CONTRACT: Source = 'contract';
export const sourceOf = (version: string): Source => `Python SDK ${version}`;

export interface KnownCall {
  readonly method: string;
  readonly path: string;
  readonly sources: readonly Source[];
}

type Document = Readonly<Record<string, unknown>>;

const shape = (path: string) => path.replace(/\{\w*\}/g, '{}');
const isVersion = (part: string) => /^v\d+$/.test(part);

/** What distinguishes one call from another, whatever its parameters are called. */
export const keyOf = ({ method, path }: Pick<KnownCall, 'method' | 'path'>) => `${method} ${shape(path)}`;

/** By their keys. */
export function operationsOf({ paths }: Document): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const entries = Object.entries(paths as Record<string, Record<string, Record<string, unknown>>>);
  return new Map(
    entries.flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [keyOf({ method: method.toUpperCase(), path }), operation] as const,
      ),
    ),
  );
}

/** The first part of a path that names an area. */
export function areaOf(path: string): string {
  const [product = '', ...rest] = path.split('/').filter((part) => part !== '' && !isVersion(part));
  // Its nouns have little to do with each other.
  if (rest[0] === 'inference') return `inference/${rest.slice(1).find((part) => !part.startsWith('{'))}`;
  if (rest[0] === 'public') return `public/${rest.find((part) => part !== 'public' && !isVersion(part))}`;
  return product === 'cloud' || product === 'waap' ? (rest[0] ?? product) : product;
}

/** The areas of which something is served. */
export function servedAreas(document: Document): ReadonlySet<string> {
  return new Set(Object.keys(document.paths as object).map(areaOf));
}

export function readKnownCalls(): KnownCall[] {
  const lines = existsSync(KNOWN_CALLS) ? readFileSync(KNOWN_CALLS, 'utf8').split('\n') : [];
  return lines.filter(Boolean).map((line) => {
    const [call = '', sources = ''] = line.split(' : ');
    const [method = '', path = ''] = call.split(' ');
    return { method, path, sources: sources.split(', ') };
  });
}

export function writeKnownCalls(calls: readonly KnownCall[]): string {
  const lines = calls.map(({ method, path, sources }) => `${method} ${path} : ${sources.join(', ')}`);
  return `${lines.sort().join('\n')}\n`;
}

/** The known calls with those of one source put in place of what it was said to know. */
export function withSource(
  calls: readonly KnownCall[],
  source: Source,
  own: readonly Pick<KnownCall, 'method' | 'path'>[],
): KnownCall[] {
  const byKey = new Map(
    calls.map((call) => [keyOf(call), { ...call, sources: call.sources.filter((one) => one !== source) }]),
  );
  for (const call of own) {
    const { method, path, sources } = byKey.get(keyOf(call)) ?? { ...call, sources: [] };
    byKey.set(keyOf(call), { method, path, sources: [...new Set([...sources, source])].sort() });
  }
  return [...byKey.values()].filter(({ sources }) => sources.length > 0);
}

/** Says which calls of served areas are not served, in a table: a call a line. */
export function renderUnserved(document: Document, calls: readonly KnownCall[]): string {
  const served = operationsOf(document);
  const areas = servedAreas(document);
  const left = calls.filter(
    (call) => !served.has(keyOf(call)) && (areas.has(areaOf(call.path)) || reasonOf(call.path) !== undefined),
  );
  const rows = left
    .map(
      (call) =>
        `| ${reasonOf(call.path) ?? ''} | \`${call.method} ${call.path}\` | ${call.sources.join(', ')} |`,
    )
    .sort();
  if (rows.length === 0) return 'None of these calls is left.';
  return [
    'These calls are not served:',
    '',
    '| why | not served | known by |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

/** A table that says of each source how many calls of served areas it knows, and how many of them are served. */
export function renderSources(document: Document, calls: readonly KnownCall[]): string {
  const served = operationsOf(document);
  const sources = [...new Set(calls.flatMap((call) => call.sources))].sort();
  const rows = sources.map((source) => {
    const own = calls.filter((call) => call.sources.includes(source));
    const found = own.filter((call) => served.has(keyOf(call)));
    return `| ${source} | ${own.length} | ${found.length} | ${own.length - found.length} |`;
  });
  return ['| who | calls of served areas | served | left |', '|---|---|---|---|', ...rows].join('\n');
}
