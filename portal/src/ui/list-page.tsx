import { Fragment, type ReactNode } from 'react';
import { type Needs, useMay } from '../api/may.ts';
import { nameOf as byName, idOf, type Named } from '../api/named.ts';
import { pathParams } from '../api/scope.ts';
import type { DeleteOptions } from './delete-action.tsx';
import { ExportCsv } from './export-csv.tsx';
import { unreadNote } from './fault.tsx';
import { type Filter, FilterBar } from './filters.tsx';
import { FromBefore } from './from-before.tsx';
import { IconPlus } from './icons.ts';
import { LinkButton } from './link-button.tsx';
import styles from './list-page.module.css';
import { Empty, type EmptyProps, PageHead } from './page.tsx';
import { type Search, useRouting, useScope, useSearch } from './routing.tsx';
import { useRowKeys } from './row-keys.ts';
import type { RowAction } from './row-menu.tsx';
import { useSeveralRows } from './several-rows.tsx';
import { type Column, Table, type TableProps } from './table.tsx';
import { given } from './values.ts';
import { VerbButton } from './verb-button.tsx';
import { Views } from './views.tsx';

export type { Column, RowAction };

interface Page<Row> {
  readonly count: number;
  readonly results: readonly Row[];
}

/** What came of asking for a list. */
export interface ListResult<Row> {
  readonly data: Page<Row> | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
  readonly dataUpdatedAt?: number;
}

interface Creation {
  readonly label: string;
  readonly to: string;
  /** Why none can be made here. */
  readonly disabled?: string | undefined;
  /** The call that makes one, by which it is known who may. */
  readonly call: () => Needs;
}

export interface ListPageProps<Row> {
  readonly title: string;
  readonly about: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
  readonly create?: Creation;
  readonly filters?: readonly Filter[];
  /** How the API sorts when nothing else is asked for; a list whose columns can be sorted has it. */
  readonly defaultOrder?: string;
  /** The answer to what the address asks for, see `useListSearch`. */
  readonly result: ListResult<Row>;
  readonly columns: readonly Column<Row>[];
  readonly href?: (row: Row) => string | undefined;
  readonly actions?: readonly RowAction<Row>[];
  /** How several rows are deleted at once; absent: they are not. */
  readonly several?: DeleteOptions<Row> | undefined;
  readonly empty: EmptyProps;
  /** More buttons at the head. */
  readonly head?: ReactNode;
  /** More above the table, for example what the whole list amounts to. */
  readonly children?: ReactNode;
}

const NO_ROWS: readonly never[] = [];

/** How many rows a page of a list may have; the table draws those that are looked at. */
const SIZES = ['50', '200', '1000'];
const sizeOf = ({ limit = '' }: Search) => Number(SIZES.includes(limit) ? limit : SIZES[0]);

/** What the address of a list asks for: its filters and order, and which page. */
export function useListSearch(): {
  readonly search: Search;
  readonly page: { limit: number; offset: number };
} {
  const search = useSearch();
  return { search, page: { limit: sizeOf(search), offset: Number(search.offset ?? 0) } };
}

/** What a list of the project asks for: where, which page, and which rows.
 *  @param filters what the call accepts of what the address says; what is empty is left out */
export function useListOfProject<Filters extends object>(
  filters: (search: Search) => Filters = () => ({}) as Filters,
) {
  const { project } = useScope();
  const path = { project_id: project };
  const { search, page } = useListSearch();
  return { project, path, params: { path, query: { ...page, ...given(filters(search)) } } };
}

/** What a list of the project in the region asks for: where, which page, and which rows.
 *  @param filters what the call accepts of what the address says; what is empty is left out */
export function useListOfScope<Filters extends object>(
  filters: (search: Search) => Filters = () => ({}) as Filters,
) {
  const scope = useScope();
  const path = pathParams(scope);
  const { search, page } = useListSearch();
  return { scope, path, params: { path, query: { ...page, ...given(filters(search)) } } };
}

/** A list of the API: filters, order and page are in the address, and the API does the work. */
export function ListPage<Row extends Named>(props: ListPageProps<Row>) {
  const { title, about, create, filters = [], empty, children } = props;
  const search = useSearch();
  const { changeSearch, useLack } = useRouting();
  const offset = Number(search.offset ?? 0);
  const query = props.result;
  const change = (next: Search) => void changeSearch((now) => clean({ ...now, offset: undefined, ...next }));
  const filtered = filters.some(({ key }) => search[key] !== undefined);
  const rows = query.data?.results ?? NO_ROWS;
  const several = useSeveralRows<Row>(rows as readonly Row[], props.several);
  const unread = unreadNote(query);
  const lack = useLack();
  const may = useMay();
  const why = lack ?? may(create?.call) ?? create?.disabled;
  useRowKeys({ create: why ? undefined : create?.to });
  return (
    <>
      <PageHead title={title} about={about} {...(props.back ? { back: props.back } : {})}>
        {props.head}
        {create && (
          <LinkButton to={create.to} why={why} leftSection={<IconPlus size={16} />}>
            {create.label}
          </LinkButton>
        )}
      </PageHead>
      {children}
      {filters.length > 0 && (filtered || rows.length > 0 || query.isPending) && (
        <FilterBar filters={filters} search={search} change={change}>
          <Views search={search} show={(view) => void changeSearch(() => view)} />
        </FilterBar>
      )}
      {unread ? (
        unread
      ) : query.data && rows.length === 0 && offset === 0 ? (
        <div className={`${styles.frame} ${styles.empty}`}>
          {filtered ? (
            <Empty
              title="Nothing matches"
              about="No item has all of these properties. Remove a filter to see more."
            />
          ) : lack ? (
            <Empty title="Not in this region" about={lack} />
          ) : (
            // What cannot be made says so once, at the head.
            <Empty {...empty} action={why ? undefined : empty.action} />
          )}
        </div>
      ) : (
        <>
          <Sorting
            columns={props.columns}
            order={search.order_by ?? props.defaultOrder ?? ''}
            sort={(order_by) => change({ order_by })}
          />
          {several.bar}
          <Table
            title={title}
            rows={rows as readonly Row[]}
            selection={several.selection}
            nameOf={props.several?.nameOf ?? byName}
            columns={props.columns}
            rowKey={idOf}
            href={props.href}
            actions={props.actions}
            loading={query.isPending}
            order={search.order_by ?? props.defaultOrder ?? ''}
            sort={(order_by) => change({ order_by })}
          />
          {/* Below the rows, where it moves nothing. */}
          <FromBefore query={query} />
          <Paging count={query.data?.count} offset={offset} size={sizeOf(search)} change={change}>
            <ExportCsv
              title={title}
              data={query.data as { count: number; results: readonly object[] } | undefined}
            />
          </Paging>
        </>
      )}
    </>
  );
}

const clean = (search: Search): Search =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));

/** Sorts in narrow windows, where the heads of columns are not shown. */
function Sorting<Row>({
  columns,
  order,
  sort,
}: Required<Pick<TableProps<Row>, 'columns' | 'order' | 'sort'>>) {
  const fields = columns.flatMap(({ label, order: field }) => (field ? [{ label, field }] : []));
  if (fields.length === 0) return null;
  const isOffered = fields.some(({ field }) => order === `${field}.asc` || order === `${field}.desc`);
  return (
    <label className={`${styles.size} ${styles.sorting}`}>
      Sort by
      <select value={order} onChange={(event) => sort(event.currentTarget.value)}>
        {!isOffered && <option value={order}>something else</option>}
        {fields.map(({ label, field }) => (
          <Fragment key={field}>
            <option value={`${field}.asc`}>{label}, ascending</option>
            <option value={`${field}.desc`}>{label}, descending</option>
          </Fragment>
        ))}
      </select>
    </label>
  );
}

/** The shortest pages need no word in the address. */
const sizeIn = (size: string) => (size === SIZES[0] ? undefined : size);

function Paging({
  count,
  offset,
  size,
  change,
  children,
}: {
  readonly count: number | undefined;
  readonly offset: number;
  readonly size: number;
  readonly change: (next: Search) => void;
  readonly children: ReactNode;
}) {
  if (count === undefined) return null;
  const last = Math.min(offset + size, count);
  return (
    <nav className={styles.paging} aria-label="Pages">
      <span>
        {count === 0
          ? 'None'
          : `${(offset + 1).toLocaleString()}–${last.toLocaleString()} of ${count.toLocaleString()}`}
      </span>
      {count > Number(SIZES[0]) && (
        <label className={styles.size}>
          Rows
          <select value={size} onChange={(event) => change({ limit: sizeIn(event.currentTarget.value) })}>
            {SIZES.map((value) => (
              <option key={value} value={value}>
                {Number(value).toLocaleString()}
              </option>
            ))}
          </select>
        </label>
      )}
      {count > size && (
        <>
          <VerbButton
            size="xs"
            variant="default"
            why={offset === 0 ? 'This is the first page' : undefined}
            onClick={() => change({ offset: offset > size ? String(offset - size) : undefined })}
          >
            Previous
          </VerbButton>
          <VerbButton
            size="xs"
            variant="default"
            why={last >= count ? 'This is the last page' : undefined}
            onClick={() => change({ offset: String(offset + size) })}
          >
            Next
          </VerbButton>
        </>
      )}
      {children}
    </nav>
  );
}
