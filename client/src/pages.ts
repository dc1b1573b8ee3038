/** A page of a list, as the API answers it. */
export interface Page {
  readonly results: readonly unknown[];
  /** Of all that match; absent: the list has one page. */
  readonly count?: number;
}

/** All items of a list. A page is as long as the server makes it, or as `limit` of the query says.
 *  @param read the page that begins at `offset`, which the first page does not need */
export async function* itemsOf(
  read: (query: { readonly offset?: number }) => Promise<Page>,
): AsyncGenerator<unknown> {
  let at = 0;
  for (;;) {
    const { results, count = 0 } = await read(at === 0 ? {} : { offset: at });
    yield* results;
    at += results.length;
    if (results.length === 0 || at >= count) return;
  }
}
