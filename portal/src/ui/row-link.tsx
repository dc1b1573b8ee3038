import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import styles from './list-page.module.css';
import { useRouting } from './routing.tsx';

/** From which list somebody went into which row. */
let left: { readonly from: string; readonly to: string } | undefined;

/** Leads from a row to what it lists. It is no `Link`: that follows each change of the address, and a list has
 *  hundreds. */
export function RowLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  const { go, preload } = useRouting();
  const follow = (event: MouseEvent) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (elsewhere || event.defaultPrevented) return;
    event.preventDefault();
    left = { from: location.href, to };
    void go(to);
  };
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (left?.from !== location.href || left.to !== to) return;
    left = undefined;
    // Back from the row, who goes with keys goes on where they were, unless something else has the focus.
    if (document.activeElement === document.body) link.current?.focus({ preventScroll: true });
  }, [to]);
  return (
    <a
      ref={link}
      className={styles.name}
      href={to}
      data-row-link
      onClick={follow}
      onMouseEnter={() => preload(to)}
    >
      {children}
    </a>
  );
}
