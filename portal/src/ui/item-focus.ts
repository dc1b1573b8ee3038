import { type RefObject, useLayoutEffect, useRef } from 'react';

interface ItemFocus {
  /** The element that the items stand in, each with `data-item`. */
  readonly items: RefObject<HTMLDivElement | null>;
  /** Says which item is about to be removed. */
  readonly removing: (index: number) => void;
}

/** The key of the next item. */
export const nextKey = (items: readonly { readonly key: number }[]): number =>
  1 + Math.max(0, ...items.map(({ key }) => key));

/** Of several that are added and removed one by one: what is added has the focus, and what follows what was removed.
 *  Without it the focus would go with the button that was pressed.
 *  @param kind stands in `data-remove` of the buttons that remove one */
export function useItemFocus(kind: string, count: number): ItemFocus {
  const items = useRef<HTMLDivElement>(null);
  const before = useRef(count);
  const at = useRef(0);
  useLayoutEffect(() => {
    const change = count - before.current;
    before.current = count;
    if (change === 0) return;
    const all = items.current?.querySelectorAll<HTMLElement>(':scope > [data-item]') ?? [];
    const one = all[change > 0 ? count - 1 : Math.min(at.current, count - 1)];
    const next =
      (change < 0 && one?.querySelector<HTMLElement>(`[data-remove=${kind}]`)) ||
      one?.querySelector<HTMLElement>('input') ||
      items.current?.querySelector<HTMLElement>('[data-add]');
    next?.focus();
  }, [kind, count]);
  const removing = (index: number) => {
    at.current = index;
  };
  return { items, removing };
}
