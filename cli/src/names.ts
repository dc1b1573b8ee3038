import type { Connection } from './connection.ts';
import { UsageError } from './failures.ts';
import { printable } from './output/cells.ts';
import type { OperationRow } from './table/shapes.ts';

/** Where a resource is looked for. */
export interface Scope {
  readonly connection: Connection;
  /** Parts of the path that are known: the project, the region, the resource that it is part of. */
  readonly path: Readonly<Record<string, unknown>>;
  /** The operation that lists its kind. */
  readonly list: OperationRow;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOST_NAMED = 10;
/** Fields that people know a resource by. */
const NAMES = [
  'name',
  'display_name',
  'instance_name',
  'floating_ip_address',
  'ip_address',
  'email',
  'username',
  'slug',
];

/** Whether it is an id already, which needs no look at the list. */
export const isId = (value: string, kind: 'uuid' | 'integer' | 'string'): boolean =>
  kind === 'uuid' ? UUID.test(value) : kind === 'integer' ? /^\d+$/.test(value) : true;

export type Item = Readonly<Record<string, unknown>>;

/** All items of a list.
 *  @param requested what the list is filtered by */
export async function itemsOf(
  { connection, path, list }: Scope,
  requested: Item = {},
): Promise<readonly Item[]> {
  const isPaged = list.flags.some(({ name }) => name === 'offset');
  const items: Item[] = [];
  for (;;) {
    const query = items.length > 0 ? { ...requested, offset: items.length } : requested;
    const answer = await connection.client.call('GET', list.path, { path, query });
    const { results = [], count = 0 } = answer as { results?: readonly Item[]; count?: number };
    items.push(...results);
    if (!isPaged || results.length === 0 || items.length >= count) return items;
  }
}

/** The id of what is called so.
 *  @throws UsageError when nothing or several things are */
export async function idOf(scope: Scope, value: string): Promise<string | number> {
  const byName = scope.list.flags.some(({ name }) => name === 'name');
  const items = await itemsOf(scope, byName ? { name: value } : {});
  const found = items.filter((item) => namesOf(item).includes(value));
  const [first] = found;
  const what = scope.list.noun;
  if (!first) throw new UsageError(`There is no ${what} "${printable(value)}" here`);
  if (found.length > 1) {
    const ids = found.slice(0, MOST_NAMED).map(({ id }) => String(id));
    throw new UsageError(`Several are called "${printable(value)}", so give the id: ${ids.join(', ')}`);
  }
  return idIn(first);
}

export const idIn = (item: Item): string | number => (item.id ?? item.instance_id ?? '') as string | number;

export const namesOf = (item: Item): readonly string[] =>
  NAMES.flatMap((name) => (typeof item[name] === 'string' ? [item[name]] : []));
