import { useState } from 'react';
import { queryClient } from '../api/client.ts';
import { csvOf } from './csv.ts';
import { refused } from './follow-task.tsx';
import { VerbButton } from './verb-button.tsx';

interface Answer {
  readonly count: number;
  readonly results: readonly object[];
}

type Ask = (context: { queryKey: readonly unknown[]; signal: AbortSignal }) => Promise<Answer>;

/** So many rows a call gives, and so many a file has at most. */
const PAGE = 1000;
const MOST = 20_000;

interface ExportCsvProps {
  /** Names the file. */
  readonly title: string;
  /** What is shown: a page of an answer of the API. */
  readonly data: Answer | undefined;
}

/** Saves the whole list as CSV, as far as its filters go, not only the page that is shown. */
export function ExportCsv({ title, data }: ExportCsvProps) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    if (!data) return;
    setBusy(true);
    try {
      saveFile(`${title.toLowerCase().replaceAll(' ', '-')}.csv`, csvOf(await allOf(data)));
    } catch (error) {
      refused('Export CSV', error);
    } finally {
      setBusy(false);
    }
  };
  const why = !data || data.count === 0 ? 'There is nothing to export' : undefined;
  return (
    <VerbButton size="xs" variant="default" loading={busy} why={why} onClick={() => void save()}>
      Export CSV
    </VerbButton>
  );
}

/** All rows of the list that an answer is a page of: its question is asked again, from the beginning.
 *  @throws what the API refused with, and for a list that no file would have all of */
async function allOf(data: Answer): Promise<readonly object[]> {
  if (data.results.length === data.count) return data.results;
  if (data.count > MOST)
    throw {
      message: `The list has ${data.count} rows, and a file has at most ${MOST}: filter it first, or use virga on the command line`,
    };
  const query = queryClient
    .getQueryCache()
    .getAll()
    .find(({ state }) => state.data === data);
  const [method, path, init] = query?.queryKey ?? [];
  const ask = query?.options.queryFn as Ask | undefined;
  if (!ask) throw { message: 'The list has changed meanwhile: export it again' };
  const { params } = init as { params?: { query?: object } };
  const rows: object[] = [];
  for (let total = 1; rows.length < total; ) {
    const paged = { ...params?.query, limit: PAGE, offset: rows.length };
    const queryKey = [method, path, { ...(init as object), params: { ...params, query: paged } }];
    const { count, results } = await ask({ queryKey, signal: new AbortController().signal });
    if (results.length === 0) break;
    rows.push(...results);
    total = count;
  }
  return rows;
}

function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
