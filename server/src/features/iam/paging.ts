import type { Paging } from '../../platform/database/list-page.ts';

/** Addresses of the pages before and after one. */
export function neighbours(path: string, page: Paging & { readonly count: number }) {
  const { limit, offset, count } = page;
  const address = (start: number) => `${path}?limit=${limit}&offset=${start}`;
  return {
    next: offset + limit < count ? address(offset + limit) : null,
    previous: offset > 0 ? address(Math.max(0, offset - limit)) : null,
  };
}
