import { useEffect } from 'react';
import { useRouting } from './routing.tsx';

/** Keys of a list: `j` and `k` go through its rows, `c` creates, `/` goes to the filter. */
export function useRowKeys({ create }: { readonly create: string | undefined }): void {
  const { go } = useRouting();
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (event.key === 'j') move(1);
      else if (event.key === 'k') move(-1);
      else if (event.key === 'c' && create) void go(create);
      else if (event.key === '/') document.querySelector<HTMLElement>('[data-filter]')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, [create, go]);
}

/** Whether keys are written into something, or belong to a dialog. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role=dialog]') !== null);

function move(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')];
  const index = links.indexOf(document.activeElement as HTMLElement);
  links[Math.min(Math.max(index + by, 0), links.length - 1)]?.focus();
}
