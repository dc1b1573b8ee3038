import Table from 'cli-table3';
import width from 'string-width';
import { cellOf, type Look } from './cells.ts';

type Item = Readonly<Record<string, unknown>>;

/** Says nothing within a list: whose it is, and what is only for programs. */
const LEFT_OUT =
  /^(project_id|region_id|client_id|region|creator_task_id|task_id|metadata|metadata_detailed)$/;
/** Without a terminal, whose width decides. */
const MOST_COLUMNS = 8;
const GAP = 2;
const LEAST_WIDTH = 8;

const NO_LINES = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);

/** What an item says of several things, such as of a task and of how it is worked on, as one. The first counts most,
 *  and has an id. */
export function flat(item: Item): Item {
  const parts = Object.values(item);
  const isOfParts = parts.every((part) => typeof part === 'object' && part !== null && !Array.isArray(part));
  return isOfParts && 'id' in Object(parts[0]) ? Object.assign({}, ...parts.toReversed()) : item;
}

/** @param columns of the terminal; undefined: as wide as it takes */
export function tableOf(given: readonly Item[], look: Look, columns: number | undefined): string {
  const items = given.map(flat);
  const keys = keysOf(items);
  const rows = items.map((item) => keys.map((key) => cellOf(key, item[key], look)));
  const heads = keys.map((key) => key.toUpperCase());
  const widths = heads.map(
    (head, at) => Math.max(width(head), ...rows.map((row) => width(row[at] ?? ''))) + GAP,
  );
  const kept = fitting(widths, columns);
  return drawn(
    [heads, ...rows].map((row) => row.slice(0, kept.length)),
    kept,
  );
}

/** One thing, a field a line. */
export function detailOf(item: Item, look: Look, columns: number | undefined): string {
  const rows = Object.entries(flat(item)).map(([key, value]) => [key, cellOf(key, value, look)]);
  const names = Math.max(0, ...rows.map(([key = '']) => width(key))) + GAP;
  const values = Math.max(1, ...rows.map(([, value = '']) => width(value))) + 1;
  const room = columns === undefined ? values : Math.max(LEAST_WIDTH, Math.min(values, columns - names));
  return drawn(rows, [names, room]);
}

function drawn(rows: readonly (readonly string[])[], colWidths: number[]): string {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 1 };
  const table = new Table({ chars: NO_LINES, style, colWidths });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** As many columns as there is room for; the last one is cut rather than left out. */
function fitting(widths: readonly number[], columns: number | undefined): number[] {
  if (columns === undefined) return widths.slice(0, MOST_COLUMNS);
  const kept: number[] = [];
  let room = columns;
  for (const each of widths) {
    if (kept.length > 0 && room < Math.min(each, LEAST_WIDTH)) break;
    kept.push(Math.min(each, Math.max(room, LEAST_WIDTH)));
    room -= each;
  }
  return kept;
}

/** Names first, then ids and states, then what else is short, and times last. */
function keysOf(items: readonly Item[]): readonly string[] {
  const all = [...new Set(items.flatMap((item) => Object.keys(item)))];
  // What runs is listed for all clients: then it counts whose it is.
  const isLeftOut = (key: string) => LEFT_OUT.test(key) && !(key === 'client_id' && all.includes('phase'));
  const shown = all.filter((key) => !isLeftOut(key) && items.some((item) => isShort(key, item[key])));
  return shown.toSorted((a, b) => rank(a) - rank(b));
}

function rank(key: string): number {
  if (key === 'name' || key === 'display_name') return 0;
  if (key === 'id') return 1;
  if (/(^|_)(status|state|phase)$/.test(key)) return 2;
  if (/(_at|_on)$/.test(key)) return 4;
  return /_name$|^client_id$|^node$|address|flavor|size|version|progress|step|task_type/.test(key) ? 3 : 3.5;
}

function isShort(key: string, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  // Of a node: the regions that it serves.
  if (key === 'serves') return true;
  if (typeof value !== 'object') return true;
  const { name, flavor_name } = value as { name?: unknown; flavor_name?: unknown };
  return typeof (name ?? flavor_name) === 'string';
}
