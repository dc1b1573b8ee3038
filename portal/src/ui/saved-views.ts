type Search = Readonly<Record<string, string | undefined>>;

/** Filters, order and length of lists that somebody has named, kept in the browser for each person. */
export interface SavedView {
  readonly name: string;
  readonly search: Search;
}

export const MOST_VIEWS = 20;
/** What is of a moment, and not of a view. */
const PASSING = new Set(['offset', 'new', 'window', 'span']);

/** Where the views of a list are: the same for all projects and regions.
 *  @param person who is signed in */
export const viewsKey = (person: string, path: string): string =>
  `virga.views.${person}.${path.replace(/^\/projects\/[^/]+(\/regions\/[^/]+)?/, '')}`;

/** What of an address a view keeps; nothing: there is nothing to keep. */
export const viewOf = (search: Search): Search =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([key, value]) => value !== undefined && value !== '' && !PASSING.has(key))
      .sort(([a], [b]) => a.localeCompare(b)),
  );

export const isSame = (a: Search, b: Search): boolean =>
  JSON.stringify(viewOf(a)) === JSON.stringify(viewOf(b));

/** The views that a browser has kept, as far as they can be read. */
export function readViews(text: string | null): readonly SavedView[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  const { name, search } = (value ?? {}) as Partial<SavedView>;
  return (
    typeof name === 'string' &&
    typeof search === 'object' &&
    search !== null &&
    Object.values(search).every((one) => typeof one === 'string')
  );
}

/** With one more, in the order of their names; one of the same name is replaced. */
export const withView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name));
