import { useEffect, useState } from 'react';
import { type ApiFault, client, faultOf, type Schemas } from '../api/client.ts';

export interface Search {
  readonly found: readonly Schemas['SearchResult'][];
  /** Whether there are more. */
  readonly truncated: boolean;
  /** Whether the answer to what is typed is still to come. */
  readonly waiting: boolean;
  readonly fault?: ApiFault;
}

const NOTHING: Search = { found: [], truncated: false, waiting: false };
const SETTLE_MS = 150;
const SHORTEST = 2;
const SHOWN = 20;

/** Looks for resources everywhere. It asks once for each pause in typing, and gives up what is no longer asked for. */
export function useSearch(typed: string): Search {
  const [search, setSearch] = useState(NOTHING);
  const text = typed.trim();
  useEffect(() => {
    if (text.length < SHORTEST) return setSearch(NOTHING);
    const ended = new AbortController();
    setSearch((before) => ({ ...before, waiting: true }));
    const timer = setTimeout(() => void look(text, ended.signal).then(setSearch, () => undefined), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [text]);
  return search;
}

/** @throws when it was given up */
async function look(text: string, signal: AbortSignal): Promise<Search> {
  const query = { text, limit: SHOWN };
  const { data, error } = await client.GET('/virga/v1/search', { params: { query }, signal });
  signal.throwIfAborted();
  if (!data) return { ...NOTHING, fault: faultOf(error) };
  return { found: data.results, truncated: data.truncated, waiting: false };
}
