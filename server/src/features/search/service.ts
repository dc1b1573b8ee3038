import type { RequestContext } from '../../platform/http/context.ts';
import { refuseUnstorable } from '../../platform/http/json.ts';
import type { SearchSource } from '../../platform/search/source.ts';
import type { SearchQuery, SearchResult, SearchResults } from './schema.ts';
import { type FoundRow, findResources } from './store.ts';

/** Everything of the caller's account that has a text in its name, id, address or tags.
 *  @throws Invalid for characters that no text has */
export async function search(
  { db, caller }: RequestContext,
  sources: readonly SearchSource[],
  { text: given, limit }: SearchQuery,
): Promise<SearchResults> {
  refuseUnstorable({ text: given }, 'query');
  const text = given.trim();
  if (text === '') return { results: [], truncated: false };
  const rows = await findResources(db, sources, {
    clientId: caller.clientId,
    userId: caller.userId,
    text,
    limit: limit + 1,
  });
  const once = new Map(rows.map((row) => [`${row.kind} ${row.id}`, row]));
  const found = [...once.values()].map((row) => ({ row, rank: rankOf(row, text.toLowerCase()) }));
  found.sort((a, b) => a.rank - b.rank || IN_ORDER.compare(a.row.name, b.row.name));
  return {
    results: found.slice(0, limit).map(({ row }) => view(row, text.toLowerCase())),
    truncated: found.length > limit,
  };
}

const IN_ORDER = new Intl.Collator('en', { numeric: true });

/** What somebody who knows the whole name or id means comes first. */
function rankOf({ name, id }: FoundRow, text: string): number {
  if (name.toLowerCase() === text || id === text) return 0;
  if (name.toLowerCase().startsWith(text)) return 1;
  return name.toLowerCase().includes(text) ? 2 : 3;
}

function view(row: FoundRow, text: string): SearchResult {
  const { kind, id, name, project_id, region_id, status } = row;
  return { kind, id, name, project_id, region_id, status, matched: matchedBy(row, text) };
}

function matchedBy({ name, id, tagged }: FoundRow, text: string): SearchResult['matched'] {
  if (name.toLowerCase().includes(text)) return 'name';
  if (id.replaceAll('-', '').startsWith(text.replaceAll('-', ''))) return 'id';
  return tagged ? 'tag' : 'address';
}
