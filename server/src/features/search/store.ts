import { contains } from '../../platform/database/contains.ts';
import type { Db } from '../../platform/database/db.ts';
import { join, raw, type Sql, sql } from '../../platform/database/sql.ts';
import { AddressBeginning, type SearchSource } from '../../platform/search/source.ts';

/** Who searches, and what for. */
export interface SearchFor {
  readonly clientId: number;
  readonly userId: number;
  readonly text: string;
  /** How many of each noun are read at most. */
  readonly limit: number;
}

export interface FoundRow {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly status: string | null;
  readonly tagged: boolean;
}

/** Reads of each noun those whose name or id the text is, and some others that have it. Both are limited: where much
 *  has the text, the first that are found are enough. */
export async function findResources(
  db: Db,
  sources: readonly SearchSource[],
  search: SearchFor,
): Promise<readonly FoundRow[]> {
  const parts = sources.flatMap((source) => [
    selection(source, search, wholeOf(source, search.text)),
    selection(source, search, partsOf(source, search.text)),
  ]);
  return db.rows<FoundRow>(join(parts, ' union all '), { prepared: false });
}

function selection(source: SearchSource, search: SearchFor, found: Sql): Sql {
  const { kind, table, id = 'id', name = 's.name', label = name, status } = source;
  const { project = 's.project_id', region = 's.region_id', where } = source;
  const tagged = source.tags ? taggedWith(search.text) : sql`false`;
  return sql`(select ${kind}::text as kind, s.${raw(id)}::text as id,
      coalesce(${raw(label ?? 'null')}, s.${raw(id)}::text) as name,
      ${raw(project ?? 'null::int')} as project_id, ${raw(region ?? 'null::int')} as region_id,
      ${raw(status ?? 'null')}::text as status, ${tagged} as tagged
    from ${raw(table)} s
   where ${ownedBy(source, search.clientId)} and (${found})${where ? sql` and ${where(search.userId)}` : sql``}
   limit ${search.limit}::int)`;
}

function ownedBy({ owner, project = 's.project_id' }: SearchSource, clientId: number): Sql {
  if (owner === 'everybody') return sql`true`;
  if (owner === 'client' || project === null) return sql`s.client_id = ${clientId}::int`;
  return sql`${raw(project)} = any(array(
    select id from projects where client_id = ${clientId}::int and deleted_at is null))`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NUMBER = /^\d{1,9}$/;

/** That the text is the whole name or id. */
function wholeOf({ name = 's.name', id = 'id', idType = 'uuid' }: SearchSource, text: string) {
  const named = name === null ? sql`false` : sql`${raw(name)} = ${text}`;
  const lower = text.toLowerCase();
  if (idType === 'uuid' && UUID.test(lower)) return sql`${named} or s.${raw(id)} = ${lower}::uuid`;
  if (idType === 'integer' && NUMBER.test(text)) return sql`${named} or s.${raw(id)} = ${Number(text)}::int`;
  return named;
}

/** That the text is in the name, begins the id or an address, or is a tag. */
function partsOf(source: SearchSource, text: string): Sql {
  const { name = 's.name', id = 'id', idType = 'uuid', addresses, tags } = source;
  const begin = addresses && AddressBeginning.of(text);
  const ids = idType === 'uuid' ? idsFrom(text) : undefined;
  const found = [
    ...(name === null ? [] : [contains(raw(name), text)]),
    ...(ids ? [sql`s.${raw(id)} between ${ids.from}::uuid and ${ids.to}::uuid`] : []),
    ...(begin ? [addresses(begin)] : []),
    ...(tags ? [taggedWith(text)] : []),
  ];
  return found.length === 0 ? sql`false` : join(found, ' or ');
}

/** The first and the last id that begin with these digits. Fewer than four begin too many. */
function idsFrom(text: string): { readonly from: string; readonly to: string } | undefined {
  const digits = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{4,32}$/.test(digits)) return undefined;
  const filled = (digit: string) =>
    digits.padEnd(32, digit).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { from: filled('0'), to: filled('f') };
}

/** That the text is the key or the value of a tag, or both as `key=value`; found by the index of tags. */
function taggedWith(text: string): Sql {
  const [key = '', ...value] = text.split('=');
  const pair = { [key]: { value: value.join('=') } };
  const asPair = value.length > 0 ? [sql`s.tags @> ${JSON.stringify(pair)}::jsonb`] : [];
  const asValue = `$.*.value ? (@ == ${JSON.stringify(text)})`;
  return sql`(s.tags <> '{}' and (${join(
    [sql`s.tags ? ${text}`, sql`s.tags @? ${asValue}::jsonpath`, ...asPair],
    ' or ',
  )}))`;
}
