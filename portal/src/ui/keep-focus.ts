import type { FocusEvent } from 'react';

const FIRST = 'data-autofocus';

/** A dialog gives the focus to its first field some time after it was drawn, on a busy machine long after. Who is in
 *  another field by then stays there: that field becomes the first one. */
export function keepFocus({ currentTarget, target }: FocusEvent<HTMLElement>): void {
  if (!currentTarget.contains(target)) return;
  for (const first of currentTarget.querySelectorAll(`[${FIRST}]`)) first.removeAttribute(FIRST);
  target.setAttribute(FIRST, '');
}
