import type { MouseEvent, ReactNode } from 'react';
import styles from './list-page.module.css';
import { useRouting } from './routing.tsx';

/** Leads from a row to what it lists. It is no `Link`: that follows each change of the address, and a list has
 *  hundreds. */
export function RowLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  const { go, preload } = useRouting();
  const follow = (event: MouseEvent) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (elsewhere || event.defaultPrevented) return;
    event.preventDefault();
    void go(to);
  };
  return (
    <a className={styles.name} href={to} data-row-link onClick={follow} onMouseEnter={() => preload(to)}>
      {children}
    </a>
  );
}
