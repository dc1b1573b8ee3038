import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import styles from './list-page.module.css';

/** Leads from a row to what it lists. It is no `Link`: that follows each change of the address, and a list has
 *  hundreds. */
export function RowLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (elsewhere || event.defaultPrevented) return;
    event.preventDefault();
    void router.navigate({ to });
  };
  return (
    <a
      className={styles.name}
      href={to}
      data-row-link
      onClick={follow}
      onMouseEnter={() => void router.preloadRoute({ to }).catch(() => undefined)}
    >
      {children}
    </a>
  );
}
