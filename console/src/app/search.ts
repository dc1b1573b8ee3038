import { client, faultOf } from '../api/client.ts';
import { type Place, pathParams } from './place.ts';
import { NO_SEARCH, type Read, type Search, searchNouns } from './search-nouns.ts';

/** What a region refuses it does not have; what was not answered may be there. */
const readIn =
  (place: Place): Read =>
  async (path, query) => {
    const { data, error } = await client.GET(
      path as never,
      { params: { path: pathParams(place), query } } as never,
    );
    const { failed, againSeconds } = faultOf(error);
    if (failed || againSeconds) throw error;
    return data;
  };

const SETTLE_MS = 150;
let latest = 0;

/** Looks for resources of a place by name or id.
 *  @returns undefined when something else was asked for meanwhile */
export async function searchResources(place: Place, text: string): Promise<Search | undefined> {
  latest += 1;
  const mine = latest;
  if (text.trim().length < 2) return NO_SEARCH;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  if (mine !== latest) return undefined;
  const search = await searchNouns(text.trim(), readIn(place));
  return mine === latest ? search : undefined;
}
