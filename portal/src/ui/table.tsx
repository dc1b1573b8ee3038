import { Skeleton } from '@mantine/core';
import { memo, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { hintWhenCut } from './hint.tsx';
import { IconArrowDown, IconArrowUp } from './icons.ts';
import styles from './list-page.module.css';
import { RowLink } from './row-link.tsx';
import { MenuButton, type OpenMenu, type RowAction, useRowMenu } from './row-menu.tsx';
import { useShownRows } from './shown-rows.ts';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** The field of `order_by` that this column sorts by. */
  readonly order?: string;
  /** Numbers stand at the right. */
  readonly end?: boolean;
  /** Left out of the cards of narrow windows. */
  readonly wideOnly?: boolean;
}

/** Which rows are chosen. */
export interface Selection {
  readonly keys: ReadonlySet<string>;
  /** Whether all that are listed are. */
  readonly all: boolean;
  /** The same function each time. */
  readonly toggle: (key: string) => void;
  readonly toggleAll: () => void;
}

export interface TableProps<Row> {
  /** What the table lists, for those who hear it. */
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly href?: ((row: Row) => string | undefined) | undefined;
  readonly actions?: readonly RowAction<Row>[] | undefined;
  /** Absent: none can be chosen. */
  readonly selection?: Selection | undefined;
  /** What a row is called where it can be chosen. */
  readonly nameOf?: (row: Row) => string;
  readonly loading?: boolean;
  /** How many rows will come, where it is known. */
  readonly expected?: number | undefined;
  /** `name.asc`; without `sort` nothing can be sorted. */
  readonly order?: string;
  readonly sort?: (order: string) => void;
}

/** So many rows are kept free while nobody knows how many will come. */
const SOME = 6;
const NO_ACTIONS: readonly RowAction<never>[] = [];

/** Rows of anything; in narrow windows each is a card. Of many rows, those that are looked at are drawn. */
export function Table<Row>(props: TableProps<Row>) {
  const { title, rows, columns, actions = NO_ACTIONS, loading = false, rowKey, href, selection } = props;
  const late = useLate(loading);
  const body = useRef<HTMLTableSectionElement>(null);
  const { frame, fits } = useFits();
  const shown = useShownRows(rows.length, body);
  const isLong = shown.to - shown.from < rows.length;
  const width = columns.length + (actions.length > 0 ? 1 : 0) + (selection ? 1 : 0);
  const drawn = rows.slice(shown.from, shown.to);
  const { open, menu } = useRowMenu<Row>(drawn, rowKey, actions as readonly RowAction<Row>[]);
  return (
    <div ref={frame} className={styles.frame} data-fits={fits}>
      <table
        className={styles.table}
        aria-label={title}
        aria-busy={loading}
        aria-rowcount={isLong ? rows.length + 1 : undefined}
      >
        <Head {...props} />
        <tbody ref={body}>
          {loading && rows.length === 0 && (
            <SkeletonRows rows={props.expected ?? SOME} columns={width} shown={late} />
          )}
          <Spacer height={shown.above} columns={width} />
          {drawn.map((row, index) => (
            <Row
              key={rowKey(row)}
              name={rowKey(row)}
              row={row}
              // Those who hear the table hear where in it they are, also of rows that are not drawn.
              index={isLong ? shown.from + index + 2 : undefined}
              columns={columns}
              open={actions.length > 0 ? open : undefined}
              href={href}
              called={props.nameOf}
              selected={selection?.keys.has(rowKey(row))}
              toggle={selection?.toggle}
            />
          ))}
          <Spacer height={shown.below} columns={width} />
        </tbody>
      </table>
      {menu}
    </div>
  );
}

/** Whether a table is no wider than its frame. Only what need not be scrolled sideways can have heads that stay. */
function useFits() {
  const [fits, setFits] = useState(true);
  const frame = useCallback((element: HTMLElement | null) => {
    const table = element?.firstElementChild;
    if (!element || !table) return;
    const observer = new ResizeObserver(() =>
      setFits(table.getBoundingClientRect().width <= element.clientWidth + 1),
    );
    observer.observe(element);
    observer.observe(table);
    return () => observer.disconnect();
  }, []);
  return { frame, fits };
}

interface RowProps<Row> {
  readonly name: string;
  readonly row: Row;
  readonly index: number | undefined;
  readonly columns: readonly Column<Row>[];
  /** Absent: nothing can be done with it. */
  readonly open: OpenMenu | undefined;
  readonly href: ((row: Row) => string | undefined) | undefined;
  readonly called: ((row: Row) => string) | undefined;
  /** undefined: it cannot be chosen. */
  readonly selected: boolean | undefined;
  readonly toggle: Selection['toggle'] | undefined;
}

function DrawnRow<Row>(props: RowProps<Row>) {
  const { name, row, index, columns, open, href, selected, called } = props;
  return (
    <tr data-row aria-rowindex={index} data-selected={selected}>
      {selected !== undefined && (
        <td className={styles.select}>
          <Choice
            label={`Select ${called?.(row) ?? name}`}
            checked={selected}
            toggle={() => props.toggle?.(name)}
          />
        </td>
      )}
      {columns.map((column, scope) => (
        <td
          key={column.label}
          data-label={column.label}
          data-end={column.end}
          data-first={scope === 0 || undefined}
          data-wide-only={column.wideOnly}
          {...hintWhenCut}
        >
          {scope === 0 ? <Name to={href?.(row)}>{column.cell(row)}</Name> : column.cell(row)}
        </td>
      ))}
      {open && (
        <td className={styles.actions}>
          <MenuButton rowKey={name} open={open} />
        </td>
      )}
    </tr>
  );
}

/** Kept as it is while the list is scrolled. */
const Row = memo(DrawnRow) as typeof DrawnRow;

/** The room of rows that are not drawn. */
export function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height === 0) return null;
  return (
    <tr data-spacer style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}

function Name({ to, children }: { readonly to: string | undefined; readonly children: ReactNode }) {
  return to === undefined ? children : <RowLink to={to}>{children}</RowLink>;
}

interface ChoiceProps {
  readonly label: string;
  readonly checked: boolean;
  readonly toggle: () => void;
}

function Choice({ label, checked, toggle }: ChoiceProps) {
  return <input type="checkbox" aria-label={label} checked={checked} onChange={toggle} />;
}

function Head<Row>(props: TableProps<Row>) {
  const { columns, actions = [], order: ordered = '', sort, selection } = props;
  const [order, direction] = ordered.split('.');
  const next = (field: string) => `${field}.${field === order && direction === 'asc' ? 'desc' : 'asc'}`;
  return (
    <thead>
      <tr>
        {selection && (
          <th className={styles.select}>
            <Choice label="Select all rows" checked={selection.all} toggle={selection.toggleAll} />
          </th>
        )}
        {columns.map((column, scope) => {
          const { label, order: field, end } = column;
          const sorted = field !== undefined && field === order;
          const ariaSort = direction === 'asc' ? 'ascending' : 'descending';
          return (
            <th
              key={label}
              data-end={end}
              data-first={scope === 0 || undefined}
              aria-sort={sorted ? ariaSort : undefined}
            >
              {field && sort ? (
                <button type="button" className={styles.sort} onClick={() => sort(next(field))}>
                  {label}
                  {sorted && (direction === 'asc' ? <IconArrowUp size={13} /> : <IconArrowDown size={13} />)}
                </button>
              ) : (
                label
              )}
            </th>
          );
        })}
        {actions.length > 0 && (
          <th>
            <span className="visually-hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

interface SkeletonRowsProps {
  readonly rows: number;
  readonly columns: number;
  /** Until then they keep the room free. */
  readonly shown: boolean;
}

function SkeletonRows({ rows, columns, shown }: SkeletonRowsProps) {
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
    <tr key={row} style={shown ? undefined : { visibility: 'hidden' }}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <td key={column}>
          <Skeleton height={12} width={column === 0 ? 140 : 80} />
        </td>
      ))}
    </tr>
  ));
}

/** True once something has been waited for so long that the wait should be seen. */
function useLate(waiting: boolean): boolean {
  const [late, setLate] = useState(false);
  // Not in an effect: of many tables whose answers come one by one, each would have the page drawn once more before
  // the next comes, and React takes fifty of those in a row for a loop.
  if (!waiting && late) setLate(false);
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, [waiting]);
  return late;
}
