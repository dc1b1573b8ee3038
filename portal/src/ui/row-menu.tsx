import { Button, Menu } from '@mantine/core';
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { type Needs, useMay } from '../api/may.ts';
import icon from './icon-button.module.css';
import { IconChevronDown, IconDots } from './icons.ts';
import styles from './list-page.module.css';

export interface RowAction<Row> {
  readonly label: string;
  readonly run: (row: Row) => void;
  readonly danger?: boolean;
  /** What it sends in the end, by which it is known who may run it; absent: it sends nothing that not everybody may. */
  readonly call?: (row: Row) => Needs | undefined;
  /** Why it can't be done now, shown instead of doing it; empty where that stands elsewhere. */
  readonly disabled?: (row: Row) => string | undefined;
}

interface ActionsProps<Row> {
  readonly row: Row;
  readonly actions: readonly RowAction<Row>[];
  /** Stands above them. */
  readonly note?: string | undefined;
}

const DOTS = <IconDots size={16} />;

/** Opens the menu of a row at its button, and closes it there. */
export type OpenMenu = (button: HTMLElement, key: string) => void;

/** The button of a row. The menu is not its own: a table has one, see `useRowMenu`. */
export function MenuButton({ rowKey, open }: { readonly rowKey: string; readonly open: OpenMenu }) {
  return (
    <button
      type="button"
      className={icon.button}
      aria-label="Actions"
      aria-haspopup="menu"
      onClick={({ currentTarget }) => open(currentTarget, rowKey)}
    >
      {DOTS}
    </button>
  );
}

/** One menu for all rows of a table.
 *  @param drawn the rows that have a button at present */
export function useRowMenu<Row>(
  drawn: readonly Row[],
  rowKey: (row: Row) => string,
  actions: readonly RowAction<Row>[],
): { readonly open: OpenMenu; readonly menu: ReactNode } {
  const [at, setAt] = useState<{ button: HTMLElement; key: string }>();
  const [isOpen, setOpen] = useState(false);
  const open = useCallback<OpenMenu>((button, key) => {
    // Pressed again, the button of an open menu closes it.
    setOpen(button.getAttribute('aria-expanded') !== 'true');
    setAt({ button, key });
  }, []);
  const row = at && drawn.find((one) => rowKey(one) === at.key);
  const menu = (
    // A row may go, or be scrolled away, while its menu is open.
    <Menu
      position="bottom-end"
      width={220}
      withInitialFocusPlaceholder={false}
      opened={isOpen && row !== undefined}
      onChange={setOpen}
    >
      <Menu.Target>
        <Anchor element={at?.button} />
      </Menu.Target>
      {/* Also while it is empty: it remembers where the focus was before it opened. */}
      <Menu.Dropdown>
        {row !== undefined && <Verbs row={row} actions={actions} from={() => at?.button} />}
      </Menu.Dropdown>
    </Menu>
  );
  return { open, menu: actions.length > 0 && menu };
}

interface AnchorProps {
  readonly element: HTMLElement | undefined;
  readonly ref?: (element: HTMLElement | null) => unknown;
  readonly id?: string;
  readonly 'aria-controls'?: string;
  readonly 'aria-expanded'?: boolean;
}

/** Ties a menu to a button that is elsewhere. */
function Anchor({ element, ref, id, ...aria }: AnchorProps) {
  const { 'aria-controls': controls, 'aria-expanded': expanded } = aria;
  useLayoutEffect(() => {
    const untie = ref?.(element ?? null);
    return () => void (typeof untie === 'function' ? untie() : ref?.(null));
  }, [element, ref]);
  useLayoutEffect(() => {
    const given = { id, 'aria-controls': controls, 'aria-expanded': expanded ? 'true' : undefined };
    for (const [name, value] of Object.entries(given)) if (value) element?.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(given)) element?.removeAttribute(name);
    };
  }, [element, id, controls, expanded]);
  return null;
}

/** The same verbs at the head of a detail page. */
export function ActionsMenu<Row>({ row, actions, note }: ActionsProps<Row>) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-end" width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button ref={button} variant="default" rightSection={<IconChevronDown size={15} />}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {note && <Menu.Label>{note}</Menu.Label>}
        <Verbs row={row} actions={actions} from={() => button.current} />
      </Menu.Dropdown>
    </Menu>
  );
}

interface VerbsProps<Row> extends ActionsProps<Row> {
  /** The button that the menu belongs to. */
  readonly from: () => HTMLElement | null | undefined;
}

function Verbs<Row>({ row, actions, from }: VerbsProps<Row>) {
  const choose = (run: (row: Row) => void) => {
    // The entry goes with its menu: a dialog that it opens gives the focus back to the button.
    from()?.focus({ preventScroll: true });
    run(row);
  };
  const may = useMay();
  const lacks = actions.map(({ call }) => may(() => call?.(row)));
  const whys = actions.map(({ disabled }, index) => (lacks[index] ? '' : disabled?.(row)));
  const first = actions[whys.indexOf(undefined)];
  const items = actions.map((action, index) => {
    const { label, run, danger } = action;
    const why = whys[index];
    const lack = lacks[index];
    return (
      <div key={label}>
        {danger && <Menu.Divider />}
        {/* What the person lacks for several is said once, above the first of them. */}
        {lack && lacks.indexOf(lack) === index && <Menu.Label className={styles.lack}>{lack}</Menu.Label>}
        <Menu.Item
          className={styles.verb}
          {...(danger ? { color: 'red' } : {})}
          disabled={why !== undefined}
          data-autofocus={action === first || undefined}
          onClick={() => choose(run)}
        >
          {label}
          {why && <div className={styles.why}>{why}</div>}
        </Menu.Item>
      </div>
    );
  });
  return (
    // The focus must be in the menu for keys to close it, also where nothing in it can be chosen.
    <div className={styles.verbs} {...(first ? {} : { tabIndex: -1, 'data-autofocus': true })}>
      {items}
    </div>
  );
}
